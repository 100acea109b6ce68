# SPDX-License-Identifier: MIT
"""External programs that are downloaded on demand, and the folder that keeps them."""
