# SPDX-License-Identifier: MIT
"""Tests of language models."""
