# SPDX-License-Identifier: MIT
"""Tests of programs that need no device: views, lifetimes, compiling, numbers."""
