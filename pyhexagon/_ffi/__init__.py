# SPDX-License-Identifier: MIT
"""The only place that names C: declarations, the loaded library, thin typed functions over it, error codes."""
