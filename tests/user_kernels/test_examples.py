# SPDX-License-Identifier: MIT
"""The kernels of docs/kernels give NumPy's result on every engine: the same bits for all sizes, views and threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from pyhexagon import Device, Kernel
from user_kernels.examples import EXAMPLES, arrays, load

SIZES = ((1, 1), (3, 127), (2, 128), (5, 641), (17, 33))


@pytest.fixture(scope="module", params=EXAMPLES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def kernel(device: Device, name: str) -> Iterator[Kernel]:
    kernel = load(device, name)
    yield kernel
    kernel.close()


def test_it_gives_numpys_result(kernel: Kernel, name: str) -> None:
    example, rng = EXAMPLES[name], np.random.default_rng(0)
    for m, n in SIZES:
        sources = example.make(rng, m, n)
        found = arrays(kernel(*sources, **example.params))
        expected = arrays(example.reference(*sources, **example.params))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other, strict=True, err_msg=f"{m} x {n}")


def test_it_takes_views_in_a_program_and_beside_other_ops(device: Device, kernel: Kernel, name: str) -> None:
    example, rng = EXAMPLES[name], np.random.default_rng(1)
    sources = example.make(rng, 6, 200)
    with device.program() as p:
        inputs = [p.input((x.shape[0] + 3, x.shape[1] + 5), x.dtype) for x in sources]
        views = [one[2:-1, 3:-2] for one in inputs]
        made = p.call(kernel, *views, **example.params)
        results = made if isinstance(made, tuple) else (made,)
        again = p.call(kernel, *views, **example.params)
        results += again if isinstance(again, tuple) else (again,)
        x = p.input((2, 64))
        p.output(*results, p.add(x, x))
        program = p.compile()
    whole = [np.pad(x, ((2, 1), (3, 2)), constant_values=7) for x in sources]
    *found, total = program.run(*whole, np.ones((2, 64), np.float32))
    expected = arrays(example.reference(*sources, **example.params))
    for one, other in zip(found, expected * 2, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    assert (np.array(total) == 2).all()


@pytest.mark.parametrize("name", ["loopback", pytest.param("loopback:qemu", marks=pytest.mark.long)])
def test_bits_do_not_depend_on_the_number_of_threads(name: str, request: pytest.FixtureRequest) -> None:
    if name == "loopback:qemu":
        request.getfixturevalue("qemu")
    found: dict[str, list[list[bytes]]] = {one: [] for one in EXAMPLES}
    for threads in (1, 2, 3, 4):
        with Device(name, threads=threads) as device:
            for one, example in EXAMPLES.items():
                sources = example.make(np.random.default_rng(2), 37, 777)
                made, report = load(device, one).run_with_report(*sources, **example.params)
                assert report is not None
                assert 1 <= report.ops[0].n_threads <= threads
                assert report.ops[0].n_threads == threads or one in ("gemv",)
                found[one].append([array.tobytes() for array in arrays(made)])
    for one, each in found.items():
        assert all(bits == each[0] for bits in each), one


def test_they_run_in_incoherent_memory(monkeypatch: pytest.MonkeyPatch, qemu: str) -> None:
    monkeypatch.setenv("PYHEXAGON_LOOPBACK", "incoherent")
    with Device("loopback:qemu") as device:
        for name, example in EXAMPLES.items():
            sources = example.make(np.random.default_rng(3), 7, 300)
            found = arrays(load(device, name)(*sources, **example.params))
            for one, other in zip(found, arrays(example.reference(*sources, **example.params)), strict=True):
                np.testing.assert_array_equal(one, other, strict=True, err_msg=name)


def test_blending_takes_at_most_15_packets_for_128_bytes(dsp: Device) -> None:
    sources = EXAMPLES["blend"].make(np.random.default_rng(4), 64, 1920)
    _, report = load(dsp, "blend").run_with_report(*sources, w=77)
    assert report is not None
    assert report.ops[0].packets is not None
    assert report.ops[0].packets * 128 / sources[0].size <= 15
