# SPDX-License-Identifier: MIT
"""The models of a server.

    pool, pooled_model: models that are loaded when a request needs them, and evicted for others; their prompts
    loading: loads a model on open devices
    backend: the seam between the routes and what computes: an engine, or a router in front of several boards
"""
