# SPDX-License-Identifier: MIT
"""Benchmarks of ``pyhexagon bench``: cost and accuracy of matmuls and models, and the overhead of a call."""
