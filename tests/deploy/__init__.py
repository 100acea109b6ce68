# SPDX-License-Identifier: MIT
"""pyhexagon deploy against a real sshd on 127.0.0.1, whose home directory is a folder of the test."""
