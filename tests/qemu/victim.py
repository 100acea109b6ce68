# SPDX-License-Identifier: MIT
"""A program that opens the probe skel and then dies: run by test_death.py with the skel's path and "idle" or "spin".

Prints the PD's process number; ends at a line on standard input, with everything still open.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pd
from waiting import once_waiting

from pyhexagon._ffi.library import load
from pyhexagon.process import locate

opened = pd.opened(load(locate.installed("libcdsprpc.so.1")), Path(sys.argv[1]))  # named, or it would be closed
probe = opened.__enter__()
if sys.argv[2] == "spin":
    spinner = threading.Thread(target=probe.probe, args=(pd.CRASH, pd.SPIN), daemon=True)
    spinner.start()
    once_waiting(lambda: None, thread=spinner).join()
print(pd.children()[0], flush=True)
sys.stdin.readline()
sys.stdout.flush()
os._exit(0) if sys.argv[2] == "spin" else sys.exit(0)
