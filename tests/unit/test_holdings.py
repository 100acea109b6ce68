# SPDX-License-Identifier: MIT
"""The tests' record of what a process holds, while threads come and go."""

from __future__ import annotations

import threading

from holdings import held


def test_threads_that_end_meanwhile_are_no_error() -> None:
    done = threading.Event()

    def churn() -> None:
        while not done.is_set():
            threading.Thread(target=lambda: None).start()

    churning = [threading.Thread(target=churn) for _ in range(2)]
    for thread in churning:
        thread.start()
    try:
        for _ in range(300):
            held()
    finally:
        done.set()
        for thread in churning:
            thread.join()
