# SPDX-License-Identifier: MIT
"""The Debian package: its system service and what scripts/build-deb puts into it."""
