# SPDX-License-Identifier: MIT
"""Tests of speech recognition."""
