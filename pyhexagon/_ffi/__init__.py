# SPDX-License-Identifier: MIT
"""The only package that names C: declarations, the loaded library, thin typed wrappers over it, error codes."""
