# SPDX-License-Identifier: MIT
"""Faults that ``scripts/mutants`` plants one at a time, to prove that the tests find them."""
