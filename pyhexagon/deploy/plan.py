# SPDX-License-Identifier: MIT
"""What a deploy would do, for ``--dry-run``: the walk's steps by their titles, each with its command."""

from __future__ import annotations

import shlex

from pyhexagon.deploy import wheel
from pyhexagon.deploy.connection import Connection
from pyhexagon.deploy.deploy import DOCTOR, Deploy


def plan(deploy: Deploy) -> list[tuple[str, str]]:
    """Titles and commands, for a board on which nothing has been installed yet; without a connection.

    ``board.sh STEP ...`` is a step of this package's board.sh on the board.
    """
    given = None if deploy.wheel is None else wheel.Wheel.read(deploy.wheel)
    version = given.folder if given else "VERSION"
    file = f"{given.package.sha256}/{given.package.path.name}" if given else "SHA256/WHEEL"
    ssh = shlex.join(Connection(deploy.host, deploy.ssh, deploy.prefix).command)

    def step(name: str, *arguments: str) -> str:
        return f"{ssh} {shlex.join(['board.sh', name, deploy.prefix, *arguments])}"

    steps = [("connect", ssh), ("look at the board", step("probe"))]
    if given is None:
        steps.append(("build the wheel", f"{wheel.build_script()} --machine MACHINE, as uname -m on the board has it"))
    if deploy.offline:
        steps.append(("fetch what it needs", "pip download for the board's Python and C library"))
    steps += [
        ("copy", f"{step('receive', *file.split('/'))} < {deploy.wheel or 'WHEEL'}"),
        ("install", step("install", version, file, *(["--no-index"] if deploy.offline else []))),
        ("try it without the DSP", step("run", version, "selftest", "--device", "loopback")),
        (DOCTOR.format(deploy.device), step("run", version, "doctor", "--device", deploy.device)),
        ("make it current", step("switch", version)),
    ]
    return steps
