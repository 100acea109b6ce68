# SPDX-License-Identifier: MIT
"""A full session: evictions, errors with their sizes, and measured capacity."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from memory.models import LIMIT, MIB, Model, chain, limited, mapped_bytes, same_bits, unlimited_bits
from pyhexagon import Device, DspMemoryError, DspTimeoutError


def small(seed: int, n: int = 64, k: int = 512) -> Model:
    rng = np.random.default_rng(seed)
    raw = weights.random_bytes(Q.Q8_0, n, k, rng)
    return Model([(Q.Q8_0, raw, n, k)], rng.standard_normal((2, k), dtype=np.float32))


def test_activations_that_no_run_uses_give_way(engine: str, transport: str, faults: Faults) -> None:
    model = small(1, n=32_000, k=64)
    _, _, n, k = model.raws[0]
    xs = [np.random.default_rng(at).standard_normal((12, k), dtype=np.float32) for at in range(LIMIT // (48 * n) + 1)]
    with Device("loopback") as device:
        model.load(device)
        want = [device.matmul(x, model.tensors[0]).numpy().copy() for x in xs]
    with limited(engine, faults, transport=transport, max_sessions=1) as device:
        model.load(device)
        ys = [device.matmul(x, model.tensors[0]) for x in xs]
        assert sum(y.nbytes for y in ys) > LIMIT, "all of them live, and cannot all be mapped"
        same_bits([y.numpy() for y in ys], want)
        same_bits([device.matmul(xs[0], model.tensors[0]).numpy()], want[:1])
        assert mapped_bytes(device)[0] <= LIMIT


def test_a_weight_makes_room_for_activations_and_moves(engine: str, transport: str, faults: Faults) -> None:
    model, other = chain([3]), small(1)
    model.raws.append((Q.Q8_0, weights.random_bytes(Q.Q8_0, 6400, 512, np.random.default_rng(2)), 6400, 512))
    x = np.random.default_rng(3).standard_normal((900, 512), dtype=np.float32)
    with Device("loopback") as device:
        w = device.pack(Q.Q8_0, other.raws[0][1].reshape(64, -1), (64, 512))
        want = [device.matmul(x, w).numpy().copy()]
        model.load(device)
        want += [device.matmul(x[:3], w).numpy().copy() for w in model.tensors]
    with limited(engine, faults, transport=transport) as device:
        w = device.pack(Q.Q8_0, other.raws[0][1].reshape(64, -1), (64, 512))
        model.load(device)
        assert len(device.info().sessions) == 1
        with device.program() as p:
            rows = p.input((3, 512))
            p.output(*(p.matmul(rows, w) for w in model.tensors))
        program = p.compile()  # before the move
        program.run(x[:3])
        same_bits([device.matmul(x, w).numpy()], want[:1])
        assert len(device.info().sessions) == 2, "a weight has moved"
        ys, report = program.run_with_report(x[:3])
        same_bits([y.numpy() for y in ys], want[1:])
        assert {op.session for op in report.ops} == {0, 1}
        assert all(mapped <= LIMIT for mapped in mapped_bytes(device))


def test_threads_that_fight_for_room_get_their_own_bits(engine: str, faults: Faults) -> None:
    models = [small(at, n=1500, k=512) for at in range(6)]
    for model in models:
        model.x = np.random.default_rng(7).standard_normal((40, 512), dtype=np.float32)
    want = [unlimited_bits(model) for model in models]
    with limited(engine, faults, 5 * MIB // 2) as device, ThreadPoolExecutor(4) as pool:
        for model in models:
            model.load(device)
        assert len(device.info().sessions) > 2

        def work(first: int) -> None:
            for turn in range(12 if engine == "loopback" else 4):
                at = (first + turn) % len(models)
                same_bits(models[at].run(device)[0], want[at])

        assert list(pool.map(work, range(4))) == [None] * 4


# --- Refusals ---


def test_what_does_not_fit_is_refused_with_the_numbers_and_leaves_nothing(engine: str, faults: Faults) -> None:
    keep = chain([3])
    want = unlimited_bits(keep)
    with limited(engine, faults) as device:
        keep.load(device)
        before = device.info()
        with pytest.raises(DspMemoryError) as caught:
            device.pack(Q.Q8_0, np.zeros((100_000, 544), np.uint8), (100_000, 512))
        text = str(caught.value)
        assert re.search(r"a Q8_0 weight \(100000, 512\) needs 5\d,\d{3},\d{3} bytes", text)
        assert "4 of at most 4 sessions" in text
        assert len(re.findall(r"session \d has [\d,]+ mapped and takes [78],\d{3},\d{3} more", text)) == 3
        after = device.info()
        assert after.memory_bytes == before.memory_bytes
        assert after.sessions[0] < before.sessions[0] + MIB, "the spare may be larger, no more"
        same_bits(keep.run(device)[0], want)


def test_activations_that_do_not_fit_are_refused_and_the_device_goes_on(engine: str, faults: Faults) -> None:
    model = small(1)
    want = unlimited_bits(model)
    with limited(engine, faults, max_sessions=2) as device:
        model.load(device)
        with pytest.raises(DspMemoryError, match=r"an op needs 1\d,\d{3},\d{3} bytes .*session 0 has"):
            device.matmul(np.ones((5000, 512), np.float32), model.tensors[0])
        same_bits(model.run(device)[0], want)


# --- Capacity ---


@pytest.mark.parametrize("limit", [8 * MIB, 3 * MIB + 4096])
def test_capacity_is_measured_to_the_page_and_given_back(engine: str, faults: Faults, limit: int) -> None:
    with limited(engine, faults, limit) as device:
        keep = device.weight(np.ones((64, 512), np.float32))
        before = device.info()
        (room,) = device.capacity()
        assert (room.session, room.limited) == (0, True)
        assert room.mapped_bytes == before.sessions[0]
        assert limit - 4096 < mapped_bytes(device)[0] + room.free_bytes <= limit
        assert device.info().sessions == before.sessions
        assert device.info().memory_bytes == before.memory_bytes
        assert not keep.closed


def test_memory_that_a_hanging_dsp_may_still_map_is_not_freed(
    engine: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Device(engine) as device:
        monkeypatch.setattr("pyhexagon.process.session.CONTROL_TIMEOUT", 0.2)
        faults.stall(device)
        freed = faults.count("rpcmem_free")
        with pytest.raises(DspTimeoutError):
            device.capacity()
        assert faults.count("rpcmem_free") == freed
    assert faults.count("rpcmem_free") > freed, "it is when the DSP process has ended"


def test_memory_of_the_system_bounds_what_can_be_had(engine: str, faults: Faults) -> None:
    with Device(engine) as device:
        faults.set("memory_limit", 3 * MIB)
        (room,) = device.capacity()
        assert room.limited
        assert room.free_bytes <= 3 * MIB


def test_the_pool_keeps_no_more_than_its_bound(device: Device) -> None:
    for _ in range(2):
        tensors = [device.empty((1 << 20,)) for _ in range(20)]
        for tensor in tensors:
            tensor.close()
        assert 0 < device.info().pooled_bytes <= 64 * MIB
