# SPDX-License-Identifier: MIT
"""Draw chat-page.png, the page of ``pyhexagon serve`` after a question, for benchmarks/pictures. Needs Chromium."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from serve.browser import Chromium, until  # noqa: E402 - the tests' browser

QUESTION: Final = "Name three primary colors."
ANSWERED: Final = "document.querySelector('.message.assistant.last:not(.running) .note')?.textContent"


def draw(model: Path) -> None:
    """Serve the model with the CPU engine, ask it a question in a browser, and save a picture of the page."""
    command = [str(Path(sys.executable).with_name("pyhexagon")), "serve", model.name, "--device", "cpu", "--port", "0"]
    with (
        closing(Chromium()) as chromium,
        subprocess.Popen(command, cwd=model.parent, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert server.stdout is not None
        try:
            url = server.stdout.readline().split()[-1]
            page = chromium.browser().new_page(viewport={"width": 1000, "height": 560}, device_scale_factor=2)
            page.goto(url)
            page.evaluate("localStorage.setItem('pyhexagon.settings', JSON.stringify({ temperature: 0 }))")
            page.reload()
            page.fill("#question", QUESTION)
            page.press("#question", "Enter")
            until(page, ANSWERED)
            until(page, "!('text' in document.querySelector('.message.assistant .content'))")  # Markdown is shown
            until(page, r"/[1-9][\d.]* tokens.s/.test(document.getElementById('figures').textContent)")
            until(page, "document.getAnimations().every(one => one.effect.getTiming().iterations == Infinity)")
            page.screenshot(path=ROOT / "docs/pictures/chat-page.png")
        finally:
            server.terminate()


if __name__ == "__main__":
    draw(Path(sys.argv[1]).resolve())
