# SPDX-License-Identifier: MIT
"""A program that opens the probe skel and then dies: run by test_death.py with the skel's path and "idle" or "spin".

Prints the PD's process number; ends at a line on standard input, with everything still open.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import pd

from pyhexagon._ffi.library import load
from pyhexagon.process import locate

opened = pd.opened(load(locate.installed("libcdsprpc.so.1")), Path(sys.argv[1]))  # named, or it would be closed
probe = opened.__enter__()
if sys.argv[2] == "spin":
    threading.Thread(target=probe.probe, args=(pd.CRASH, pd.SPIN), daemon=True).start()
    time.sleep(0.1)
print(pd.children()[0], flush=True)
sys.stdin.readline()
sys.stdout.flush()
os._exit(0) if sys.argv[2] == "spin" else sys.exit(0)
