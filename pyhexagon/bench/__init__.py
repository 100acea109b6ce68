# SPDX-License-Identifier: MIT
"""Benchmarks behind ``pyhexagon bench``: what a product costs the DSP, how exact it is, what Python adds to a call."""
