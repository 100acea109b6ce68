# SPDX-License-Identifier: MIT
"""Programs of others that are fetched when they are asked for, and the folder that keeps them."""
