# SPDX-License-Identifier: MIT
"""Tests of programs without a device: views, lifetimes, compiling, numbers."""
