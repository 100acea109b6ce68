# SPDX-License-Identifier: MIT
"""``pyhexagon serve`` as a service of an ordinary user: what it serves, and its unit for systemd.

The unit belongs to the user's own manager (``systemctl --user``), for a unit of the system's needs root to be written.
The manager runs without a login because the user lingers, which users may decide for themselves: logind's policy
(``set-self-linger``) allows it to everybody.

A server that ends is started again however often it takes, for a DSP may come long after boot. Delays grow from 5 to
60 seconds, which systemd can from 254 on; older ones warn of two keys that they do not know, and go on every 5 seconds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pyhexagon.errors import ArgumentError

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

[Install]
WantedBy=default.target

[X-Pyhexagon]
Url={url}
"""


@dataclass(frozen=True)
class Service:
    """What is served, and how.

    Attributes:
        model: a file here, or one of the board.
        arguments: further ones of ``pyhexagon serve``.
        host: that it listens to.
        port: that it listens to.
        keys: of its clients, one a line; empty: those that the board has, if any.
    """

    model: str
    arguments: Sequence[str] = ()
    host: str = "127.0.0.1"
    port: int = 8080
    keys: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        """Where it answers, as seen on the board."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def unit(self, prefix: str, model: str, *, has_keys: bool) -> str:
        """The unit's text.

        Args:
            prefix: folder on the board, from its root on.
            model: file on the board, from its root on.
            has_keys: whether the board has a file of keys.

        Raises:
            ArgumentError: systemd runs nothing in such a folder, or an argument cannot stand in a unit.
        """
        if set(prefix) & set("'\"\\$"):
            raise ArgumentError(f"systemd runs nothing in a folder with quotes, backslashes or dollars: {prefix}")
        command = [f"{prefix}/current/bin/pyhexagon", "serve", model, "--host", self.host, "--port", str(self.port)]
        command += ["--api-key-file", f"{prefix}/api-keys"] if has_keys else []
        return _UNIT.format(command=" ".join(map(quoted, [*command, *self.arguments])), url=self.url)


def quoted(argument: str) -> str:
    """As one argument of a unit's ``ExecStart``: nothing in it is expanded.

    Raises:
        ArgumentError: it has characters that no unit can have.
    """
    if not argument.isprintable():
        raise ArgumentError(f"{argument!r} cannot stand in a unit of systemd")
    text = argument.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{text}"' if not text or set(text) & set(" '\";\\") else text


def mark(version: str, *parts: str) -> str:
    """What a running service was started with: the version, and a hash of the rest."""
    return f"{version} {hashlib.sha256(chr(0).join(parts).encode()).hexdigest()}"
