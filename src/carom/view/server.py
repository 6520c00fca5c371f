"""Serves one page to browsers on this machine only: loopback, with a token."""

from __future__ import annotations

import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from carom.errors import CaromError

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class PageServer(ThreadingHTTPServer):
    """Serves `page` at `url`; run it with `serve_forever`, stop it with `shutdown`, or use it in a `with` block."""

    daemon_threads = True

    def __init__(self, page: str, port: int = 0) -> None:
        """port 0 selects a free port. CaromError if the port is not available."""
        if not 0 <= port <= 65535:
            raise CaromError(f"port is {port}; expected 0 to 65535")
        self.page = page.encode("utf-8")
        self.path = f"/{secrets.token_urlsafe(24)}/"
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise CaromError(f"port {port} cannot be used: {error.strerror}") from None
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore browsers that close the connection; report everything else as usual."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]

    @property
    def url(self) -> str:
        """Address of the page, which contains the token."""
        return f"http://127.0.0.1:{self.server_port}{self.path}"


class _Handler(BaseHTTPRequestHandler):
    """GET and HEAD of the page. Every other request is refused with a short line."""

    server: PageServer
    server_version = "carom"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def _answer(self, with_body: bool) -> None:
        # A page of another site can reach this port under its own name (DNS rebinding); its Host header shows it.
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"wrong host\n", with_body)
        elif not secrets.compare_digest(self.path.encode("utf-8", "replace"), self.server.path.encode()):
            self._send(
                HTTPStatus.NOT_FOUND, "text/plain", b"nothing here: the address carom printed is longer\n", with_body
            )
        else:
            self._send(HTTPStatus.OK, "text/html", self.server.page, with_body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes, with_body: bool) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: the terminal belongs to the user."""
