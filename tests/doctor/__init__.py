# SPDX-License-Identifier: MIT
"""Boards with one thing wrong each, and what the doctor says of them."""
