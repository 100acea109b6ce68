# SPDX-License-Identifier: MIT
"""What a deploy would do, for ``--dry-run``: the walk's steps by their titles, each with its command."""

from __future__ import annotations

import shlex
from pathlib import Path

from pyhexagon.deploy import wheel
from pyhexagon.deploy.connection import Connection
from pyhexagon.deploy.deploy import DOCTOR, Deploy


def plan(deploy: Deploy) -> list[tuple[str, str]]:
    """Titles and commands, for a board on which nothing has been installed yet; without a connection.

    ``board.sh STEP ...`` is a step of this package's board.sh on the board.
    """
    given = None if deploy.wheel is None else wheel.Wheel.read(deploy.wheel)
    service = deploy.service
    if given is not None:
        given = given.able(serve=service is not None, cluster=deploy.cluster)
    version = given.folder if given else "VERSION"
    file = f"{given.package.sha256}/{given.package.path.name}" if given else "SHA256/WHEEL"
    brackets = given.brackets if given else "[llm]"
    ssh = shlex.join(Connection(deploy.host, deploy.ssh, deploy.prefix).command)

    def step(name: str, *arguments: str) -> str:
        return f"{ssh} {shlex.join(['board.sh', name, deploy.prefix, *arguments])}"

    steps = [("connect", ssh), ("look at the board", step("probe"))]
    if service is not None:
        is_here = Path(service.model).is_file()
        steps[:0] = [("read the model", f"sha256sum {shlex.quote(service.model)}")] if is_here else []
        steps.append(("look whether it can serve", step("can_serve", service.host, str(service.port))))
    if given is None:
        steps.append(("build the wheel", f"{wheel.build_script()} --machine MACHINE, as uname -m on the board has it"))
    if deploy.offline:
        steps.append(("fetch what it needs", "pip download for the board's Python and C library"))
    steps += [
        ("copy", f"{step('receive', *file.split('/'))} < {deploy.wheel or 'WHEEL'}"),
        ("install", step("install", version, f"{file}{brackets}", *(["--no-index"] if deploy.offline else []))),
        ("try it without the DSP", step("run", version, "selftest", "--device", "loopback")),
        (DOCTOR.format(deploy.device), step("run", version, "doctor", "--device", deploy.device)),
        ("make it current", step("switch", version)),
    ]
    if service is not None:
        if is_here:
            name = Path(service.model).name
            steps.append(("copy the model", f"{step('receive', 'SHA256', name)} < {shlex.quote(service.model)}"))
        steps.append(("start the service", f"{step('serve', 'MARK')} < UNIT"))
    return steps
