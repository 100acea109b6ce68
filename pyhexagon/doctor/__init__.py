# SPDX-License-Identifier: MIT
"""``pyhexagon doctor``: checks everything from the kernel to a result, and reports the first problem.

The checks of a board's files (``system``, ``software``) read below a root directory and decide about rights
from modes and ACLs, so they need no root and run on a copied tree. What calls libcdsprpc (``session``, ``compute``)
runs in a child process with a deadline, because the real library may hang for ever, keep a lock after a failed open,
or end the process (``stages``).
"""

from pyhexagon.doctor.doctor import Doctor
from pyhexagon.doctor.findings import Findings, Result, Status

__all__ = ["Doctor", "Findings", "Result", "Status"]
