# SPDX-License-Identifier: MIT
"""The reports of ``pyhexagon ops``: supported types, accuracy and cost of each op on a device."""
