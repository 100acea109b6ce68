# SPDX-License-Identifier: MIT
"""The process that stages.Child starts. Its prints go to stderr, because stdout carries the answers."""

import os
import sys

from pyhexagon.doctor.stages import serve

if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.argv[1], sys.stdin, answers)
