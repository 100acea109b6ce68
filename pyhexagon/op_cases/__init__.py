# SPDX-License-Identifier: MIT
"""What the tests of an op share: its result in float64, the error limits, and the parameters to test it with."""
