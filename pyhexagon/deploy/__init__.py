# SPDX-License-Identifier: MIT
"""Brings a wheel to a board over ssh, and makes it the current version there once it has been seen to work."""

from pyhexagon.deploy.deploy import PREFIX, Deploy, Deployment, DeployStep
from pyhexagon.deploy.plan import plan
from pyhexagon.deploy.service import Service

__all__ = ["PREFIX", "Deploy", "DeployStep", "Deployment", "Service", "plan"]
