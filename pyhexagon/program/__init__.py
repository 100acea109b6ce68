# SPDX-License-Identifier: MIT
"""Programs: ops over tensors that the DSP keeps and runs again and again.

graph.py is what a user builds. compile.py says where each op runs and where each value lies (lifetimes.py), and cuts
that into pieces, each of one session. program.py runs them, through runner.py, which knows the sessions; numbers.py
hands out the numbers under which a session keeps pieces. wire.py has the bytes, report.py what they tell.
"""
