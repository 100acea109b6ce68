# SPDX-License-Identifier: MIT
"""Wheels to deploy: modified copies of the real one, and small stubs that answer instead of pyhexagon.

The same pip installs a stub into the same venv, in a tenth of the time. Its doctor and self test print the content of a
file in the board's home directory, named after the version and, for one device alone, after the device too; it serves
nothing while the file "no-dsp" exists.
"""

from __future__ import annotations

import base64
import hashlib
import json
import platform
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

CHECKS = ("nodes", "open", "matmul", "selftest")
PROGRAM = '''
import json, os, pathlib, sys
from importlib.metadata import version
def main():
    asked = sys.argv[1]
    if asked == "--version":
        return print("pyhexagon", version("pyhexagon"))
    if asked == "serve" and (pathlib.Path.home() / "no-dsp").exists():
        sys.exit("no DSP yet")
    if asked in ("serve", "cluster"):
        os.environ.pop("PYTHONHOME", None)
        os.execv(PYTHON, [PYTHON, "-m", "pyhexagon", *sys.argv[1:]])
    said = pathlib.Path.home() / f"{asked}-{version('pyhexagon')}.json"
    of_device = said.with_name(f"{said.stem}-{sys.argv[3]}.json")
    said = of_device if of_device.exists() else said
    healthy = {"ok": True, "checks": [], "passed": True}
    answer = json.loads(said.read_text()) if said.exists() else healthy
    print(json.dumps(answer))
    sys.exit(0 if answer["ok"] else 1)
'''


def small(folder: Path, version: str, *, padding: int = 0, metadata: str = "", lock: str = "") -> Path:
    """Build a stub wheel for this machine.

    Args:
        padding: additional bytes, which do not compress.
        metadata: additional lines of its METADATA.
        lock: its lock of the dependencies, if it has one.
    """
    tag = f"py3-none-manylinux_2_17_{platform.machine()}"
    information = f"pyhexagon-{version}.dist-info"
    files = {
        "pyhexagon/__init__.py": f"PYTHON = {sys.executable!r}\n{PROGRAM}".encode(),
        "pyhexagon_command/__init__.py": b"from pyhexagon import main as run\n",
        "pyhexagon/padding": hashlib.shake_128(version.encode()).digest(padding),
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: pyhexagon\nVersion: {version}\n{metadata}".encode(),
        f"{information}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{information}/entry_points.txt": b"[console_scripts]\npyhexagon = pyhexagon:main\n",
    }
    if lock:
        files["pyhexagon/deploy/lock.json"] = lock.encode()
    return _pack(folder / f"pyhexagon-{version}-{tag}.whl", files, information)


def changed(wheel: Path, folder: Path, name: str, change: Callable[[bytes], bytes]) -> Path:
    """Copy a wheel with one file changed."""
    with zipfile.ZipFile(wheel) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist() if not entry.endswith("/RECORD")}
    files[name] = change(files[name])
    (information,) = {entry.partition("/")[0] for entry in files if ".dist-info/" in entry}
    return _pack(folder / wheel.name, files, information)


def _pack(path: Path, files: Mapping[str, bytes], information: str) -> Path:
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo(f"{information}/RECORD"), f"{record}{information}/RECORD,,\n")
    return path


def report(failed: str | None) -> str:
    """Return a doctor's report with this one failed check."""
    checks = [
        {"name": name, "status": "failed" if name == failed else "ok", "finding": f"{name} found", "remedy": "mend it"}
        for name in CHECKS
    ]
    return json.dumps({"ok": failed is None, "checks": checks})


def wrong(version: str) -> str:
    """Return the output of a failed self test."""
    problem = {"problem": f"bits of {version} differ"}
    return json.dumps({"ok": False, "passed": False, "first_problem": problem})
