# SPDX-License-Identifier: MIT
"""The ops: one module each, which says what fits, and what comes out.

Each is a function of a graph that adds the op to it. ``Builder`` has them all as methods: it is what users build
programs with.
"""
