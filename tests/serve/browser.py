# SPDX-License-Identifier: MIT
"""A headless Chromium, which the tests control through two pipes with the DevTools protocol: no driver, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from waiting import LONG

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """A tab of the browser."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._number, self._rest, self._session = 0, b"", ""
        self.problems: list[str] = []  #: what went wrong in its script, or was refused
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **given: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": given}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            if answer.get("method") == "Runtime.exceptionThrown":
                self.problems.append(str(answer["params"]["exceptionDetails"]))
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.problems.append(answer["params"]["entry"]["text"])

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select.select([self._reading], [], [], LONG)[0], "Chromium says nothing"
            more = os.read(self._reading, 1 << 20)
            assert more, "Chromium has ended"
            self._rest += more
        first, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(first)
        return answer

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression in the page."""
        given = {"expression": script, "returnByValue": True, "awaitPromise": True}
        done = self.send("Runtime.evaluate", **given)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def until(self, script: str) -> None:
        """Wait until a JavaScript expression in the page is true."""
        end = time.monotonic() + LONG
        while not self.run(f"Boolean({script})"):
            assert time.monotonic() < end, f"never true: {script}; {self.problems}"
            time.sleep(0.05)

    def open(self, url: str) -> None:
        """Load a page."""
        self.send("Page.navigate", url=url)
        self.until("document.readyState == 'complete' && location.protocol == 'http:'")

    def size(self, width: int, height: int, *, is_phone: bool = False, is_dark: bool = False) -> None:
        """Set the size of the window in CSS pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2, mobile=is_phone
        )
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)

    def type(self, text: str) -> None:
        """Insert text at the cursor."""
        self.send("Input.insertText", text=text)

    def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            text = "\r" if key == "Enter" and kind == "keyDown" else ""
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, text=text)

    def picture(self, path: Path) -> None:
        """Write a screenshot as a PNG file."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def chromium(folder: Path) -> Iterator[Page]:
    """Start a browser with an empty profile, which ends with the ``with`` statement."""
    options = [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank",
    ]  # fmt: skip
    theirs, ours = os.pipe(), os.pipe()
    script = f'exec "$0" "$@" 3<&{theirs[0]} 4>&{ours[1]}'
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(
            ["bash", "-c", script, str(CHROMIUM), *options], pass_fds=(theirs[0], ours[1]), stderr=log, stdout=log
        ) as browser,
    ):
        os.close(theirs[0])
        os.close(ours[1])
        try:
            yield Page(ours[0], theirs[1])
        finally:
            os.close(theirs[1])  # which ends Chromium
            os.close(ours[0])
            try:
                browser.wait(10)
            except subprocess.TimeoutExpired:
                browser.kill()
