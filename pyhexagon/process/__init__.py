# SPDX-License-Identifier: MIT
"""A process on the DSP, from open to close, and what carries requests to it.

locate.py finds the library and the skel. domains.py hands out session numbers. callthread.py makes the calls that
block. stub.py has the skel's methods, transport/ what carries requests, dsplog.py what the skel logs. opened.py is all
that one session has open, in the order of opening and closing; session.py has its state. Nothing here knows a Device.
"""
