# SPDX-License-Identifier: MIT
"""Saved kernels: opened without a compiler, with all that they declare; damaged files are refused."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pyhexagon import ArgumentError, Device, KernelError
from pyhexagon.kernels import archive, toolchain
from user_kernels.examples import EXAMPLES, arrays, load


def test_a_saved_kernel_needs_no_compiler(device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blend = load(device, "blend")
    blend.save(tmp_path / "blend.phxk")
    expression = device.elementwise("int8 a, int8 b", "int16 out", "out = a * b", isolated=False)
    expression.save(tmp_path / "product.phxk")
    with zipfile.ZipFile(tmp_path / "blend.phxk") as file:
        images = set(json.loads(file.read("kernel.json"))["images"])
    assert images == {"v68", "aarch64-neon", blend.target}
    monkeypatch.setattr(toolchain, "_run", None)
    sources = EXAMPLES["blend"].make(np.random.default_rng(0), 5, 300)
    again = device.kernel(tmp_path / "blend.phxk", isolated=False)
    np.testing.assert_array_equal(again(*sources, w=77).numpy(), EXAMPLES["blend"].reference(*sources, w=77))
    product = device.kernel(str(tmp_path / "product.phxk"), isolated=False)
    a, b = (x.view(np.int8) for x in sources)
    np.testing.assert_array_equal(product(a, b[0]).numpy(), (a.astype(np.int16) * b[0]).astype(np.int16))
    again.save(tmp_path / "copy.phxk")
    assert (tmp_path / "copy.phxk").read_bytes() == (tmp_path / "blend.phxk").read_bytes()


@pytest.mark.parametrize("link", ["versions/V", "current"])
def test_a_deployed_version_finds_deployed_kernels_by_their_names(
    dsp: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    prefix, here = tmp_path / "prefix", tmp_path / "here"
    for folder in (prefix / "versions/V", prefix / "kernels", here):
        folder.mkdir(parents=True)
    (prefix / "current").symlink_to("versions/V")
    load(dsp, "threshold").save(prefix / "kernels/threshold.phxk")
    monkeypatch.chdir(here)
    monkeypatch.setattr(sys, "prefix", str(prefix / link))
    with pytest.raises(ArgumentError, match=r"cannot read threshold\.phxk"):  # not deployed
        dsp.kernel("threshold.phxk")
    (prefix / "versions/V/.complete").touch()
    assert dsp.kernel("threshold.phxk").name == "threshold"
    with pytest.raises(ArgumentError, match=rf"no blend\.phxk, neither here nor in {prefix}/kernels.*--kernel"):
        dsp.kernel("blend.phxk")
    with pytest.raises(ArgumentError, match="cannot read"):
        dsp.kernel("./threshold.phxk")
    load(dsp, "blend").save(here / "threshold.phxk")
    assert dsp.kernel("threshold.phxk").name == "blend"  # what is here comes first


def test_a_function_for_the_shape_is_given_again(dsp: Device, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="cannot be saved"):
        load(dsp, "quantize").save(tmp_path / "quantize.phxk")
    source = Path(__file__).parents[2] / "docs/kernels/quantize.c"
    dsp.kernel(source, dtype=[np.int8, np.int32]).save(tmp_path / "quantize.phxk")
    again = dsp.kernel(tmp_path / "quantize.phxk", shape=lambda x: [x, (x[0], 1)])
    (x,) = EXAMPLES["quantize"].make(np.random.default_rng(0), 3, 65)
    for one, other in zip(arrays(again(x)), EXAMPLES["quantize"].reference(x), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_damaged_files_are_refused(dsp: Device, tmp_path: Path) -> None:
    path, damaged = tmp_path / "threshold.phxk", tmp_path / "damaged.phxk"
    load(dsp, "threshold").save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    n_refused = 0
    for _ in range(200):
        changed = bytearray(data)
        for at in rng.integers(0, len(data), rng.integers(1, 9)):
            changed[at] = rng.integers(256)
        damaged.write_bytes(changed[: rng.integers(0, len(data))] if rng.integers(3) == 0 else changed)
        try:
            dsp.kernel(damaged).close()
        except (KernelError, ArgumentError):
            n_refused += 1
    assert n_refused > 150  # some changes are in fields that nobody reads, such as dates
    assert not dsp.lost


def test_other_versions_machines_and_files_are_refused(dsp: Device, tmp_path: Path) -> None:
    path = tmp_path / "threshold.phxk"
    load(dsp, "threshold").save(path)

    def rewritten(**changes: object) -> Path:
        other = tmp_path / "other.phxk"
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(other, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name == "kernel.json":
                    content = json.dumps(json.loads(content) | changes).encode()
                new.writestr(name, content)
        return other

    with pytest.raises(KernelError, match="version 2"):
        dsp.kernel(rewritten(version=2))
    with pytest.raises(KernelError, match="another hash"):
        dsp.kernel(rewritten(images={"v68": "00"}))
    wrong: list[dict[str, object]] = [
        {"params": 7}, {"sources": [7]}, {"like": []}, {"elementwise": [1]}, {"options": None},
    ]  # fmt: skip
    for changes in wrong:
        with pytest.raises((KernelError, ArgumentError)):
            dsp.kernel(rewritten(**changes))
    declared, _, images = archive.read(path)
    no_source = tmp_path / "no-source.phxk"
    archive.save(archive.Saved(declared, "", {"v68": images["v68"]}), no_source)
    assert dsp.kernel(no_source).target == "v68"
    with Device("cpu") as cpu, pytest.raises(ArgumentError, match="has no code for"):
        cpu.kernel(no_source)
    with pytest.raises(ArgumentError, match="cannot read"):
        dsp.kernel(tmp_path / "none.phxk")
