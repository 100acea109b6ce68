# SPDX-License-Identifier: MIT
"""The op tests; a package, since a test module here has the name of its op, which others have too."""
