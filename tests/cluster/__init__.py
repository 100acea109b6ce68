# SPDX-License-Identifier: MIT
"""Tests of models on several devices."""
