# SPDX-License-Identifier: MIT
"""The plan of a deploy for ``--dry-run``: the titles of its steps, each with its command."""

from __future__ import annotations

import shlex
from pathlib import Path

from pyhexagon.deploy import wheel
from pyhexagon.deploy.connection import Connection
from pyhexagon.deploy.deploy import DOCTOR, Deploy
from pyhexagon.deploy.systemd_unit import SANDBOX
from pyhexagon.deploy.uploads import read_kernels


def plan(deploy: Deploy) -> list[tuple[str, str]]:
    """Return titles and commands for a board without any version; opens no connection.

    ``board.sh STEP ...`` is a step of this package's board.sh on the board.
    """
    own_wheel = None if deploy.wheel is None else wheel.Wheel.read(deploy.wheel)
    service = deploy.service
    if own_wheel is not None:
        own_wheel = own_wheel.with_extras(serve=service is not None, cluster=deploy.cluster)
    version = own_wheel.folder if own_wheel else "VERSION"
    file = f"{own_wheel.package.sha256}/{own_wheel.package.path.name}" if own_wheel else "SHA256/WHEEL"
    brackets = own_wheel.brackets if own_wheel else "[llm]"
    options = ["--no-index"] if deploy.offline else []
    devices = deploy.device.split(",")
    ssh = shlex.join(Connection(deploy.host, deploy.ssh, deploy.prefix).command)

    def step(name: str, *arguments: str) -> str:
        return f"{ssh} {shlex.join(['board.sh', name, deploy.prefix, *arguments])}"

    steps = [("connect", ssh), ("look at the board", step("probe"))]
    if service is not None:
        copied = [file for file in service.files if Path(file).is_file()]
        steps[:0] = [(f"read {service.label(file)}", f"sha256sum {shlex.quote(file)}") for file in copied]
        steps.append(("look whether it can serve", step("can_serve", service.host, str(service.port), *SANDBOX)))
    if own_wheel is None:
        steps.append(("build the wheel", f"{wheel.build_script()} --machine MACHINE, as uname -m on the board has it"))
    if deploy.offline:
        steps.append(("fetch what it needs", "pip download for the board's Python and C library"))
    steps += [
        ("copy", f"{step('receive', *file.split('/'))} < {deploy.wheel or 'WHEEL'}"),
        ("install", f"{step('install', version, *options)} < REQUIREMENTS, with uploads/{file}{brackets}"),
        ("try it without the DSP", step("run", version, "selftest", "--device", "loopback")),
        (DOCTOR.format(deploy.device), "; ".join(step("run", version, "doctor", "--device", name) for name in devices)),
        ("make it current", step("switch", version)),
    ]
    for kernel in read_kernels(deploy.kernels):
        receive = step("receive", kernel.sha256, kernel.path.name)
        steps.append((f"copy the kernel {kernel.path.name}", f"{receive} < {shlex.quote(str(kernel.path))}"))
    if service is not None:
        for file in copied:
            receive = step("receive", "SHA256", Path(file).name)
            steps.append((f"copy {service.label(file)}", f"{receive} < {shlex.quote(file)}"))
        steps.append(("start the service", f"{step('serve', 'MARK')} < UNIT"))
    return steps
