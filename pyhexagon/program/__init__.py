# SPDX-License-Identifier: MIT
"""Programs: lists of ops over tensors that the DSP keeps and runs repeatedly.

graph.py is the user's builder. compile.py assigns ops to sessions and values to memory (lifetimes.py), and cuts the
program into pieces of one session each. program.py runs them through runner.py, which knows the sessions; numbers.py
manages the numbers that a session keeps pieces under. wire.py packs and unpacks bytes, report.py has the reports.
"""
