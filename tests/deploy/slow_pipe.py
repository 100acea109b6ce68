# SPDX-License-Identifier: MIT
"""A ProxyCommand for ssh that sends 2 MiB per second: python slow_pipe.py HOST PORT PID_FILE."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from pathlib import Path

PIECE = 16384
RATE = 2 << 20


def _receive(connection: socket.socket) -> None:
    while piece := connection.recv(1 << 16):
        os.write(1, piece)
    os._exit(0)


def main() -> None:
    Path(sys.argv[3]).write_text(str(os.getpid()))
    connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    threading.Thread(target=_receive, args=(connection,), daemon=True).start()
    while piece := os.read(0, PIECE):
        connection.sendall(piece)
        time.sleep(len(piece) / RATE)


if __name__ == "__main__":
    main()
