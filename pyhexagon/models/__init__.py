# SPDX-License-Identifier: MIT
"""Models by name: a catalogue, downloads from a hub, and the local store that keeps them."""
