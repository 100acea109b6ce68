# SPDX-License-Identifier: MIT
"""``pyhexagon serve`` as a systemd service of an ordinary user: options and unit file.

The unit belongs to the user's own manager (``systemctl --user``), because a system unit needs root. The manager runs
without a login because the user lingers, which users may enable for themselves: logind's policy
(``set-self-linger``) allows it to everybody.

systemd restarts a server that ends without a limit on attempts, because a DSP may come up long after boot. Delays grow
from 5 to 60 seconds with systemd 254 or newer; older versions warn about two unknown keys and retry every 5 seconds.

The unit has those restrictions that the manager of a user can apply without a user namespace: system calls, address
families, no new namespaces. `SANDBOX` has those that need one, which Ubuntu's AppArmor denies to ordinary programs: a
deploy tries them on the board, by ``systemd-run``, before it writes them. DevicePolicy and IPAddressDeny are missing,
because the manager of a user takes them and applies nothing; ProtectClock, because it implies a DevicePolicy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import part_paths

NAME: Final = "pyhexagon"
LOCAL: Final = ("127.0.0.1", "::1", "localhost")
_UNIT: Final = """\
# Written by "pyhexagon deploy --serve", which writes it anew; "pyhexagon deploy --no-serve" removes it.
[Unit]
Description=A language model on the Hexagon DSP
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={command}
Restart=on-failure
RestartSec=5
RestartSteps=6
RestartMaxDelaySec=60
TimeoutStopSec=40
NoNewPrivileges=yes
UMask=0077
KeyringMode=private
LockPersonality=yes
MemoryDenyWriteExecute=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
{sandbox}
[Install]
WantedBy=default.target

[X-Pyhexagon]
Url={url}
"""

# The service reads all files, and writes to its cache, /tmp and /dev. PrivateTmp would hide a model that lies in /tmp.
SANDBOX: Final = (
    "PrivateUsers=yes", "CapabilityBoundingSet=", "CacheDirectory=pyhexagon", "PrivateMounts=yes",
    "ProtectControlGroups=yes", "ProtectHome=read-only", "ProtectHostname=yes", "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes", "ProtectKernelTunables=yes", "ProtectSystem=strict", "ReadWritePaths=/tmp",
)  # fmt: skip


@dataclass(frozen=True)
class ServiceFile:
    """An argument that names a file on this machine, which is copied, or one on the board.

    Attributes:
        path: of the file.
        before, after: the argument's text around the path.
    """

    path: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Service:
    """The model to serve, and the options.

    Attributes:
        model: a file on this machine, or one on the board.
        arguments: further arguments of ``pyhexagon serve``.
        host: the address to listen on.
        port: the port to listen on.
        keys: the API keys, one per line; empty keeps the board's keys, if any.
    """

    model: str
    arguments: Sequence[str | ServiceFile] = ()
    host: str = "127.0.0.1"
    port: int = 8080
    keys: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        """The address of the service as seen on the board."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def files(self) -> list[str]:
        """The model, and the files that the arguments name, with all parts of split models; each once."""
        paths = [self.model, *(argument.path for argument in self.arguments if isinstance(argument, ServiceFile))]
        return list(dict.fromkeys(part for path in paths for part in part_paths(path)))

    def label(self, file: str) -> str:
        """Return the name of one of ``files`` in messages."""
        return "the model" if file == self.model else PurePath(file).name

    def unit(self, prefix: str, files: Mapping[str, str], *, has_keys: bool, is_sandboxed: bool) -> str:
        """Return the text of the unit file.

        Args:
            prefix: the absolute path of the folder on the board.
            files: the absolute paths on the board of ``files``.
            has_keys: whether the board has a file of API keys.
            is_sandboxed: whether the board's manager applies ``SANDBOX``.

        Raises:
            ArgumentError: systemd cannot run programs in this folder, or an argument cannot be quoted.
        """
        if set(prefix) & set("'\"\\$"):
            raise ArgumentError(f"systemd cannot run from a folder with quotes, backslashes or dollars: {prefix}")
        command = [f"{prefix}/current/bin/pyhexagon", "serve", files[self.model]]
        command += ["--host", self.host, "--port", str(self.port)]
        command += ["--api-key-file", f"{prefix}/api-keys"] if has_keys else []
        command += [
            argument if isinstance(argument, str) else f"{argument.before}{files[argument.path]}{argument.after}"
            for argument in self.arguments
        ]
        sandbox = "".join(f"{line}\n" for line in SANDBOX) if is_sandboxed else ""
        return _UNIT.format(command=" ".join(map(quoted, command)), url=self.url, sandbox=sandbox)


def quoted(argument: str) -> str:
    """Quote an argument for a unit's ``ExecStart``, so that systemd expands nothing in it.

    Raises:
        ArgumentError: it has characters that are not allowed in units.
    """
    if not argument.isprintable():
        raise ArgumentError(f"{argument!r} cannot be part of a systemd unit")
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if not text or set(text) & set(" '\";\\") else text


def mark(version: str, *parts: str) -> str:
    """Return an identifier of a service's start: the version, and a hash of the other parts."""
    return f"{version} {hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"
