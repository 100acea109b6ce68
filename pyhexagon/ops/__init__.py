# SPDX-License-Identifier: MIT
"""The ops, one module each, with shape rule and parameters.

Each op is a function of a graph that adds the op to it. ``Builder``, which users build programs with, has all of them
as methods.
"""
