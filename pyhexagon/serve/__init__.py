# SPDX-License-Identifier: MIT
"""``pyhexagon serve``: a language model over HTTP, in OpenAI's form. It needs the packages of ``pyhexagon[serve]``.

backend.py is the seam between the addresses and what computes. scheduler.py computes: it has the thread that owns the
model, takes texts in, sends one message a step for all of them, and brings a dead DSP back. waiting.py is the queue
before it. asked.py reads requests, and refuses what is wrong, field by field (fields.py); answers.py writes what comes
back. app.py has the addresses, guard.py who may use them, keys.py their keys, metrics.py what is counted,
patience.py how long a connection is waited for, connections.py how many there are, quota.py what a client may hold of a
shared limit, prompts.py turns text into tokens, server.py the process.
"""
