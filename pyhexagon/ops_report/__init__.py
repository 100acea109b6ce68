# SPDX-License-Identifier: MIT
"""What ``pyhexagon ops`` reports of a device: which ops take which types, whether they are right, what they cost."""
