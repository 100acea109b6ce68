# SPDX-License-Identifier: MIT
"""Copies a wheel to a board over ssh, installs and tests it there, and then makes it the current version."""

from pyhexagon.deploy.deploy import Deploy
from pyhexagon.deploy.deployment import Deployment, DeployStep
from pyhexagon.deploy.plan import plan
from pyhexagon.deploy.systemd_unit import Service, ServiceFile
from pyhexagon.deployed import PREFIX

__all__ = ["PREFIX", "Deploy", "DeployStep", "Deployment", "Service", "ServiceFile", "plan"]
