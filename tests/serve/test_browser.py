# SPDX-License-Identifier: MIT
"""A browser that dies costs no result (browser.py, repeated.py); a page that crashes fails its test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import needs

TESTS = Path(__file__).resolve().parents[1]
EXAMPLE = """
import os
import signal
from pathlib import Path
import pytest
from serve.browser import chromium, open_page, problems

killed = []

def kill(chromium, who):
    every = chromium.browser().new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    (pid,) = (one["id"] for one in every if one["type"] == "browser")
    driver = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(pid if who == "browser" else driver, signal.SIGKILL)
    killed.append(who)

@pytest.mark.parametrize("who", ["browser", "driver"])
def test_it_dies_once(open_page, chromium, who):
    page = open_page("about:blank")
    if who not in killed:
        kill(chromium, who)
    assert page.evaluate("1 + 1") == 2

def test_it_dies_each_time(open_page, chromium):
    page = open_page("about:blank")
    kill(chromium, "browser")
    assert page.evaluate("1 + 1") == 2

def test_it_dies_between_tests(open_page, chromium):
    kill(chromium, "browser")

def test_the_page_crashes(open_page):
    open_page("chrome://crash")

def test_the_page_is_wrong(open_page):
    page = open_page("about:blank")
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('wrong') })")

def test_the_page_is_right(open_page):
    assert open_page("about:blank").evaluate("1 + 1") == 2
"""


def test_a_browser_that_dies_costs_no_result(tmp_path: Path) -> None:
    needs.require("chromium")
    (tmp_path / "test_example.py").write_text(EXAMPLE)
    command = [sys.executable, "-m", "pytest", "-rA", "-W", "error", "-p", "serve.repeated", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    words = [line.split() for line in done.stdout.splitlines() if line.startswith(("PASSED", "FAILED", "ERROR"))]
    assert sorted((verb, name.partition("::test_")[2]) for verb, name, *_ in words) == [
        ("ERROR", "the_page_crashes"),
        ("ERROR", "the_page_is_wrong"),
        ("FAILED", "it_dies_each_time"),
        ("FAILED", "the_page_crashes"),
        ("PASSED", "it_dies_between_tests"),
        ("PASSED", "it_dies_once[browser]"),
        ("PASSED", "it_dies_once[driver]"),
        ("PASSED", "the_page_is_right"),
        ("PASSED", "the_page_is_wrong"),
    ], done.stdout
    repeated = re.findall(r"PytestWarning: test_example.py::test_(\S+) is repeated", done.stdout)
    assert repeated == ["it_dies_once[browser]", "it_dies_once[driver]", "it_dies_each_time"], done.stdout
