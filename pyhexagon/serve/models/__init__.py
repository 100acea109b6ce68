# SPDX-License-Identifier: MIT
"""The models of a server, and the threads that run them.

    pool, pooled_model: models that are loaded when a request needs them, and evicted for others
    loading: loads a model on open devices
    prompts: tokenizes for it
    backend: the seam between the routes and what computes: a scheduler, or a router in front of several boards
    scheduler: the thread that owns a model: admission, and the steps of the engine
    device_gate: lets one thread reopen a lost DSP while no other uses it
"""
