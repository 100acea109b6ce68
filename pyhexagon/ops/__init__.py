# SPDX-License-Identifier: MIT
"""The ops: one module each, named as its kernel in dsp/ref and dsp/hvx."""

from pyhexagon.ops import matmul, mul_mat_id

__all__ = ["matmul", "mul_mat_id"]
