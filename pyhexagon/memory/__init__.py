# SPDX-License-Identifier: MIT
"""The memory of a device.

buffer.py is one piece, and who uses it. memory.py has all of them, and the pool. placement.py has the sessions of the
device, and says which of them can reach which buffer. capacity.py measures. Nothing here knows a Device.
"""
