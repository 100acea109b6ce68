# SPDX-License-Identifier: MIT
"""A process on the DSP, from open to close, and the transports that carry requests to it.

locate.py finds the library and the skel. domains.py hands out session numbers. callthread.py makes blocking calls.
stub.py holds the skel's methods, transport/ the ways to send requests, dsplog.py the skel's log. resources.py holds a
session's resources in the order of opening and closing; session.py holds its state. cores.py counts the CPU's cores.
Nothing here knows a Device.
"""
