# SPDX-License-Identifier: MIT
"""docs/api.md is what scripts/api_docs.py makes of the docstrings, and has all that is exported."""

from __future__ import annotations

import importlib.util
import re

import needs

import pyhexagon

PATH = needs.ROOT / "docs/api.md"


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("api_docs", needs.ROOT / "scripts/api_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.generate() == PATH.read_text(), "run scripts/api_docs.py"


def test_everything_that_is_exported_is_on_it() -> None:
    titles = re.findall(r"^#{2,3} (\S+)$", PATH.read_text(), re.MULTILINE)
    assert set(pyhexagon.__all__) <= set(titles)
    assert {"Device.matmul", "Device.load_all", "Builder.rms_norm", "Program.__call__", "Tensor.numpy"} <= set(titles)
