"""The server gives one page to this machine, to those who know its address, and nothing else to anybody."""

from __future__ import annotations

import http.client
import socket
import threading

import pytest

from carom.errors import CaromError
from carom.view import PageServer

PAGE = "<!doctype html><title>· page</title>"


@pytest.fixture
def server():
    with PageServer(PAGE) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def ask(server, path, method="GET", host=None):
    """Status, headers and body of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    for value in [f"127.0.0.1:{server.server_port}"] if host is None else host:
        connection.putheader("Host", value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def test_server_gives_the_page_at_its_address(server):
    status, headers, body = ask(server, server.path)
    assert (status, body.decode()) == (200, PAGE)
    assert server.url == f"http://127.0.0.1:{server.server_port}{server.path}"
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert ask(server, server.path, host=[f"localhost:{server.server_port}"])[0] == 200


def test_server_answers_head_without_a_body(server):
    status, headers, body = ask(server, server.path, "HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["Content-Length"]) == len(PAGE.encode())


@pytest.mark.parametrize("path", ["/", "/index.html", "/../../etc/passwd", "//", "/%2e%2e/", "/favicon.ico"])
def test_server_has_nothing_else(server, path):
    status, _, body = ask(server, path)
    assert status == 404
    assert server.path.encode() not in body


def test_server_wants_the_whole_token(server):
    for wrong in (server.path[:-1], server.path[:-2] + "/", server.path + "x", server.path.upper(), server.path + "?a"):
        assert ask(server, wrong)[0] == 404


def test_server_tokens_are_long_and_never_the_same():
    with PageServer(PAGE) as one, PageServer(PAGE) as other:
        assert one.path != other.path
        assert len(one.path) >= 32


@pytest.mark.parametrize("host", [[], ["evil.example"], ["127.0.0.1"], ["127.0.0.1:1"], ["evil.example:80", "x"]])
def test_server_refuses_other_hosts(server, host):
    status, _, body = ask(server, server.path, host=host)
    assert status == 403
    assert PAGE.encode() not in body


def test_server_refuses_a_second_host(server):
    good = f"127.0.0.1:{server.server_port}"
    assert ask(server, server.path, host=[good, "evil.example"])[0] == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT"])
def test_server_only_reads(server, method):
    assert ask(server, server.path, method)[0] == 501


def test_server_survives_garbage(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as plug:
        plug.sendall(b"\x16\x03\x01\x00garbage\r\n\r\n")
        plug.recv(1000)
    assert ask(server, server.path)[0] == 200


def test_server_listens_on_loopback_only(server):
    assert server.server_address[0] == "127.0.0.1"


def test_server_port_that_is_taken_or_none_is_one_clear_error(server):
    with pytest.raises(CaromError, match=f"port {server.server_port} cannot be used"):
        PageServer(PAGE, server.server_port)
    with pytest.raises(CaromError, match="port is 70000; expected 0 to 65535"):
        PageServer(PAGE, 70000)
