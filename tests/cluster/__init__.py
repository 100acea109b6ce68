# SPDX-License-Identifier: MIT
"""Tests of models over several devices."""
