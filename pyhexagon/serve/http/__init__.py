# SPDX-License-Identifier: MIT
"""HTTP, whatever the API: who may send a request, how large it may be, how long it may take, and how an error looks.

    errors, json_responses, schema: errors as responses; JSON; the fields of a body
    guard, keys: access, hosts and bodies; API keys
    limits: all limits, and fair shares of them
    connections, timeouts: the limit of connections, and their timeouts
    metrics: metrics for Prometheus
"""
