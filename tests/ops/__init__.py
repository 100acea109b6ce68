# SPDX-License-Identifier: MIT
"""The op tests. A package, because a test module here has the name of its op, like modules elsewhere."""
