# SPDX-License-Identifier: MIT
"""Inference on several boards with Ray. Each board needs ``pyhexagon[cluster]``.

A board is a Ray actor that holds the custom resource "hexagon" of its node. ``Pipeline`` runs one model in stages, each
with some of the layers on one board. ``Router`` is the backend of ``pyhexagon serve`` for replicas: boards that each
hold the whole model. Ray starts and restarts actors, transfers their arguments and results, and reports their failure.

connecting.py joins a cluster and rejects boards whose versions differ; board.py and replica.py are the actors;
nodes.py starts and stops Ray on a machine; processes.py finds Ray's processes.
"""

from pyhexagon.cluster.pipeline import Pipeline
from pyhexagon.cluster.router import Router

__all__ = ["Pipeline", "Router"]
