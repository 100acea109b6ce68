# SPDX-License-Identifier: MIT
"""The cases of every op: operands, parameters, float64 function and error limit, shared by all tests of the op."""
