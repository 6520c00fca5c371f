"""A headless Chromium for tests, spoken to over a pair of pipes: no driver, no package, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 60.0
"""Seconds until an answer is given up; a busy machine draws slowly without a graphics card."""

_WITH_PIPES = """
import os, sys
commands, answers = (os.dup(int(number)) for number in sys.argv[1:3])  # neither is to be overwritten below
for number, pipe in ((3, commands), (4, answers)):
    os.dup2(pipe, number)
    os.set_inheritable(number, True)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Starts the browser, which reads commands from its file 3 and writes answers to its file 4."""


def chromium_or_skip() -> str:
    """Where Chromium is; skips the test where it is not."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium here: install the chromium package to test the replay page in a browser")
    return found


class Chromium:
    """A running browser. Use it in a `with` block."""

    def __init__(self, folder: Path, *flags: str) -> None:
        to_browser, from_browser = os.pipe(), os.pipe()
        command = [
            chromium_or_skip(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--user-data-dir={folder}", *flags,
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WITH_PIPES, str(to_browser[0]), str(from_browser[1]), *command],
            pass_fds=(to_browser[0], from_browser[1]),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser[0])
        os.close(from_browser[1])
        self._send, self._receive = to_browser[1], from_browser[0]
        self._buffer = b""
        self._number = 0
        self.events: list[dict] = []

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._send)
        os.close(self._receive)

    def call(self, method: str, session: str | None = None, **parameters: object) -> dict:
        """One command of the DevTools protocol and its result; events that come meanwhile are kept in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._send, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _read(self) -> dict:
        deadline = time.monotonic() + _PATIENCE
        while b"\0" not in self._buffer:
            if not select.select([self._receive], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self._receive, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, url: str, width: int = 1280, height: int = 800) -> Tab:
        """A new tab with that page; returns once the page is ready and drawn."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        tab = Tab(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Runtime", "Log", "Network", "Page"):
            tab.call(f"{domain}.enable")
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        tab.call("Page.navigate", url=url)
        tab.wait("document.body && document.body.dataset.ready !== undefined")
        # Before its first picture a page gets no clicks.
        tab.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        return tab


class Tab:
    """One page in the browser."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser = browser
        self._session = session

    def call(self, method: str, **parameters: object) -> dict:
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, expression: str) -> object:
        """The value of a JavaScript expression, awaited; RuntimeError with its message where it throws."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        return answer["result"].get("value")

    def wait(self, condition: str) -> None:
        """Until the expression is true."""
        deadline = time.monotonic() + _PATIENCE
        while not self.evaluate(condition):
            if time.monotonic() > deadline:
                raise RuntimeError(f"in vain: {condition}")
            time.sleep(0.05)

    def settle(self) -> None:
        """Until nothing is left to draw."""
        self.wait("!carom.dirty")

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, selector: str) -> None:
        """Click the middle of the first element that the CSS selector finds."""
        box = self.evaluate(f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
                            f"(document.querySelector({selector!r}).getBoundingClientRect())")  # fmt: skip
        self.click(*box)

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def events(self, method: str) -> list[dict]:
        """Parameters of all events of that kind on this page so far."""
        self.evaluate("0")
        found = self._browser.events
        return [e["params"] for e in found if e.get("method") == method and e.get("sessionId") == self._session]

    def errors(self) -> list[str]:
        """Everything that a developer would see in red in the console."""
        thrown = [str(e["exceptionDetails"]) for e in self.events("Runtime.exceptionThrown")]
        called = [str(e["args"]) for e in self.events("Runtime.consoleAPICalled") if e["type"] in ("error", "assert")]
        logged = [e["entry"]["text"] for e in self.events("Log.entryAdded") if e["entry"]["level"] == "error"]
        return thrown + called + logged

    def requests(self) -> list[str]:
        """Addresses of everything that the page asked for, itself included."""
        return [e["request"]["url"] for e in self.events("Network.requestWillBeSent")]
