# SPDX-License-Identifier: MIT
"""Measurements for developers, run from a checkout; README.md lists them. The package does not depend on them."""
