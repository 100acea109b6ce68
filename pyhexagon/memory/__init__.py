# SPDX-License-Identifier: MIT
"""The memory of a device.

buffer.py is one allocation and its users. memory.py owns all buffers and the pool. placement.py manages the device's
sessions and the buffers mapped into each. capacity.py measures free memory. Nothing here knows a Device.
"""
