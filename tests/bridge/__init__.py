# SPDX-License-Identifier: MIT
"""Qualcomm's own libcdsprpc over the skel in QEMU: a stand-in for the kernel's devices, and what is tried."""
