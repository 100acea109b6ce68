# SPDX-License-Identifier: MIT
"""Results of ``benchmarks.board``: one activation row times large weights of every type, DSP and CPU.

A result is a dictionary for JSON with the same form on every machine, so that results can be compared:
``format``, ``environment`` (hardware and software), ``records`` (of ``bench matmul``), ``cpu`` (the same on
``Device("cpu")``, unless that is the device), ``numpy`` and ``llama`` (CPU).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from gguf import GGMLQuantizationType

from benchmarks import baseline, environment
from pyhexagon.bench import matmul
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, HexagonError

FORMAT: Final = 1
SHAPE: Final = (16384, 16384)  # N, K of the published comparison
Result = dict[str, Any]

_TEXT_OR_NONE: Final = (str, type(None))
_NUMBER_OR_NONE: Final = (int, float, type(None))
_FORM: Final = {  # the required keys of a result; a tuple holds alternatives
    "environment": {
        **dict.fromkeys(("machine", "processor", "os", "kernel"), _TEXT_OR_NONE),
        "cpu_clocks": [dict.fromkeys(("cpus", "governor", "min_khz", "max_khz"), str)],
        "device": {"device": str, "arch": str, "threads": int, "transport": str, "loopback": bool},
    },
    "records": [{"type": str, "n": int, "k": int, "m": int, "error": _TEXT_OR_NONE}],
    "numpy": [{"n": int, "k": int, "us": _NUMBER_OR_NONE, "error": _TEXT_OR_NONE}],
    "llama": (dict, type(None)),
}
_TIMES: Final = ("us_upload", "us_total", "us_python", "us_transport", "us_dsp", "us_quantise")
_MEASURED: Final = dict.fromkeys((*_TIMES, "weight_bytes", "nmse"), (int, float))
_CPU: Final = {"type": str, "n": int, "k": int, "us": _NUMBER_OR_NONE, "error": _TEXT_OR_NONE}
_LLAMA: Final = {"shape": [int], "us": dict, "error": _TEXT_OR_NONE}


def run(
    plan: matmul.Cases, llama: str | None, device: str | None, transport: str | None, starting: Callable[[str], None]
) -> Result:
    """Measure the matmuls of a plan, then the CPU.

    Args:
        llama: path of llama.cpp's ``test-backend-ops``, or None.
        starting: called with the name of each of the ``n_steps`` steps before it starts.
    """
    with Device(device, transport=transport, threads=plan.threads[0]) as opened:
        where = environment.describe(opened)
    records = list(matmul.run(plan, device, transport, starting))
    result: Result = {"format": FORMAT, "environment": where, "records": records}
    result["cpu"] = [] if where["device"]["device"] == "cpu" else [_of_cpu(one) for one in _on_cpu(plan, starting)]
    starting("NumPy")
    result["numpy"] = [baseline.numpy_product(*shape) for shape in plan.shapes]
    result["llama"] = None
    if llama is not None:
        starting("llama.cpp")
        try:
            result["llama"] = {"shape": baseline.LLAMA_SHAPE, "us": baseline.llama_products(llama), "error": None}
        except HexagonError as error:
            result["llama"] = {"shape": baseline.LLAMA_SHAPE, "us": {}, "error": str(error)}
    return result


def _on_cpu(plan: matmul.Cases, starting: Callable[[str], None]) -> Iterator[matmul.Record]:
    return matmul.run(replace(plan, threads=[0]), "cpu", None, lambda name: starting(f"CPU: {name}"))


def _of_cpu(record: matmul.Record) -> dict[str, Any]:
    return {"type": record["type"], "n": record["n"], "k": record["k"], "us": record["us_total"],
            "error": record["error"]}  # fmt: skip


def make_plan(
    types: Sequence[GGMLQuantizationType], shape: tuple[int, int], threads: int, llama: str | None
) -> matmul.Cases:
    """Plan one row times a weight of every type; with llama.cpp, also weights of its shape. 0 threads means all."""
    shapes = [shape] if llama is None else [shape, baseline.LLAMA_SHAPE]
    return matmul.Cases(types, shapes, [1], [threads])


def n_steps(plan: matmul.Cases, llama: str | None) -> int:
    return 2 * plan.n_cases + 1 + (llama is not None)


def read(path: Path) -> Result:
    """Read a result file, written here or on another machine.

    Raises:
        ArgumentError: the file is not a result.
    """
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror}") from None
    except ArgumentError as error:
        raise ArgumentError(f"{path} {error}") from None


def parse(text: str | bytes) -> Result:
    """Parse the JSON of a result.

    Raises:
        ArgumentError: the text is not a result.
    """
    try:
        result: Result = json.loads(text)
    except ValueError as error:
        raise ArgumentError(f"is not JSON: {error}") from None
    if _fits(result, {"error": {"message": str}}):
        raise ArgumentError(f"is an error: {result['error']['message']}")
    if not _is_result(result):
        raise ArgumentError("is not a result of 'python -m benchmarks.board --json' of this version")
    return result


def _is_result(value: Any) -> bool:
    return (
        _fits(value, _FORM)
        and value.get("format") == FORMAT
        and all(_fits(record, _MEASURED) for record in value["records"] if record["error"] is None)
        and _fits(value.get("cpu", []), [_CPU])
        and (value["llama"] is None or _fits(value["llama"], _LLAMA))
        and all(_fits(us, (int, float)) for us in (value["llama"] or {"us": {}})["us"].values())
    )


def _fits(value: Any, form: Any) -> bool:
    """Return whether JSON has a form: a type, a dictionary with at least these keys, or a list of one form."""
    if isinstance(form, dict):
        return isinstance(value, dict) and all(key in value and _fits(value[key], form[key]) for key in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(_fits(one, form[0]) for one in value)
    return isinstance(value, form)


def name(result: Result) -> str:
    """Return the machine's name for tables and pictures."""
    where = result["environment"]
    return f"{where['machine'] or where['processor']}, {where['device']['device']}"


def cpu_us(result: Result, record: matmul.Record) -> tuple[float | None, float | None]:
    """Return microseconds of NumPy's float32 matmul of a record's shape, and of llama.cpp's of its type."""
    shape = record["n"], record["k"]
    of_numpy = next((one["us"] for one in result["numpy"] if (one["n"], one["k"]) == shape), None)
    llama = result["llama"]
    of_llama = llama["us"].get(record["type"].upper()) if llama and tuple(llama["shape"]) == shape else None
    return of_numpy, of_llama


def engine_us(result: Result, record: matmul.Record) -> float | None:
    """Return microseconds of this CPU for a record's case, from the call to the result; None without a figure."""
    case = record["type"], record["n"], record["k"]
    found: float | None = next(
        (one["us"] for one in result.get("cpu", []) if (one["type"], one["n"], one["k"]) == case), None
    )
    return found
