# SPDX-License-Identifier: MIT
"""A substitute for systemd on the tests' boards: systemctl, systemd-run, loginctl and journalctl, which are this file.

It runs one unit, whose ExecStart it parses like systemd, and keeps its state in files of one folder. A file named
"no-manager", "no-linger" or "no-namespaces" there makes it refuse.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path


class Systemd:
    """Args:
    folder: holds the state.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal, self._pid = folder / "journal", folder / "pid"
        self.calls = folder / "calls"

    @property
    def unit(self) -> Path:
        return Path(os.environ["HOME"]) / ".config/systemd/user/pyhexagon.service"

    @property
    def pid(self) -> int:
        """Return the process id of the unit if it runs, else 0."""
        with suppress(OSError):
            pid = int(self._pid.read_text())
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            return 0 if state == "Z" else pid
        return 0

    def systemctl(self, verb: str, *given: str) -> int:
        """Run a command; return its exit code."""
        with self.calls.open("a") as calls:
            calls.write(f"{verb}\n")
        if (self.folder / "no-manager").exists():
            print("Failed to connect to bus: No medium found", file=sys.stderr)
            return 1
        if verb == "is-active":
            print("active" if self.pid else "failed")
            return 0 if self.pid else 3
        if verb == "show":
            print(("running" if self.pid else "failed") if "--property=SubState" in given else 0)
        if verb in ("restart", "disable"):
            self.stop()
        if verb == "restart":
            line = next(one for one in self.unit.read_text().splitlines() if one.startswith("ExecStart="))
            command = [one.replace("%%", "%").replace("$$", "$") for one in shlex.split(line.partition("=")[2])]
            with self.journal.open("ab") as journal:
                made = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=journal, stderr=journal, start_new_session=True
                )
            self._pid.write_text(str(made.pid))
        return 0

    def systemd_run(self, *given: str) -> int:
        """Run a command with properties, which have no effect; return its exit code."""
        if (self.folder / "no-namespaces").exists():
            return 1
        properties = [one for one in given if one.startswith("--property=")]
        (self.folder / "properties").write_text("\n".join(one.partition("=")[2] for one in properties))
        return subprocess.run(given[len(properties) :], check=False).returncode

    def loginctl(self, verb: str, *given: str) -> int:
        """Run a command; return its exit code."""
        lingers = self.folder / "linger"
        if verb == "enable-linger":
            if (self.folder / "no-linger").exists():
                print("Could not enable linger: Access denied", file=sys.stderr)
                return 1
            lingers.touch()
        else:
            print("yes" if lingers.exists() else "no")
        return 0

    def journalctl(self, *given: str) -> int:
        """Run a command; return its exit code."""
        if self.journal.exists():
            print("\n".join(self.journal.read_text(errors="replace").splitlines()[-8:]))
        return 0

    def stop(self) -> None:
        """End the unit's process."""
        with suppress(OSError):
            os.kill(self.pid or 1 << 30, signal.SIGTERM)
        while self.pid:
            time.sleep(0.02)


def install(tools: Path, folder: Path) -> Systemd:
    """Install the commands into a folder of a board's PATH."""
    folder.mkdir()
    for name in ("systemctl", "systemd-run", "loginctl", "journalctl"):
        command = [sys.executable, "-I", __file__, str(folder), name.replace("-", "_")]
        (tools / name).write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        (tools / name).chmod(0o755)
    return Systemd(folder)


if __name__ == "__main__":
    words = [one for one in sys.argv[3:] if not one.startswith("--") or one.startswith("--property")]
    sys.exit(getattr(Systemd(Path(sys.argv[1])), sys.argv[2])(*words))
