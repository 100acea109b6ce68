# SPDX-License-Identifier: MIT
"""Boards with one fault each, and the doctor's findings."""
