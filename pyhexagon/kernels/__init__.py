# SPDX-License-Identifier: MIT
"""User kernels: compile C for DSP and CPU, load, call, check, save. The C side is idl/pyhexagon_kernel.h."""
