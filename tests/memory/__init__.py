# SPDX-License-Identifier: MIT
"""Tests of memory: sessions, placement, loading. A package, so that module names may repeat elsewhere."""
