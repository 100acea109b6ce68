# SPDX-License-Identifier: MIT
"""The build of llama.cpp that a comparison takes: by recorded /proc/cpuinfo, from folders as npm and pip make them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from pyhexagon.bench import llama_builds, llama_library
from pyhexagon.errors import ArgumentError, UnsupportedError

X64 = frozenset({
    "alderlake", "cannonlake", "cascadelake", "cooperlake", "haswell", "icelake", "ivybridge", "piledriver",
    "sandybridge", "sapphirerapids", "skylakex", "sse42", "x64", "zen4",
})  # fmt: skip
ARM64 = frozenset({
    "armv8.0_1", "armv8.2_1", "armv8.2_2", "armv8.2_3", "armv8.6_1", "armv8.6_2", "armv9.2_1", "armv9.2_2",
})  # fmt: skip
OLD = "fpu vme de pse tsc msr sse sse2 ht syscall nx lm pni ssse3 cx16 sse4_1"
HASWELL = f"{OLD} sse4_2 x2apic movbe popcnt aes xsave avx f16c rdrand abm fma avx2 bmi1 smep bmi2 erms invpcid"
AVX512 = f"{HASWELL} avx512f avx512dq rdseed adx clflushopt clwb avx512cd avx512bw avx512vl"
RECORDED = {  # flags of real CPUs, and the library that ggml_backend_score() prefers there
    "Core 2 (Penryn)": (OLD, "x64"),
    "Xeon E5-2680 v3": (HASWELL, "haswell"),
    "Core i7-12700": (f"{HASWELL} sha_ni avx_vnni gfni vaes vpclmulqdq serialize", "alderlake"),
    "Xeon Gold 6148": (AVX512, "skylakex"),
    "Xeon Gold 6248": (f"{AVX512} avx512_vnni", "cascadelake"),
    "Xeon Platinum 8375C": (f"{AVX512} avx512vbmi avx512_vbmi2 gfni avx512_vnni avx512_bitalg", "icelake"),
    "EPYC 9004": (f"{AVX512} avx512ifma sha_ni avx512_bf16 avx512vbmi avx512_vbmi2 gfni avx512_vnni", "zen4"),
    "Xeon Platinum 8481C": (
        f"{AVX512} avx_vnni avx512_bf16 avx512vbmi avx512_vnni avx512_fp16 amx_bf16 amx_tile amx_int8",
        "sapphirerapids",
    ),
}


def cpuinfo(*cores: str, name: str = "flags\t\t") -> str:
    return "".join(f"processor\t: {at}\nmodel name\t: x\n{name}: {core}\n\n" for at, core in enumerate(cores))


@pytest.mark.parametrize("cpu", RECORDED)
def test_the_library_that_llama_cpp_itself_would_load(cpu: str) -> None:
    flags, expected = RECORDED[cpu]
    features = llama_builds.cpu_features(cpuinfo(flags, flags), "")
    assert llama_builds.chosen_variant(X64, features) == expected
    assert llama_builds.chosen_variant(X64 - {expected}, features) != expected
    assert llama_builds.chosen_variant(frozenset({"sapphirerapids2", "gfx"}), features) is None


def test_our_level_avx2_is_compared_with_avx2() -> None:
    for cpu in ("EPYC 9004", "Core i7-12700", "Xeon Platinum 8481C"):
        features = llama_builds.cpu_features(cpuinfo(RECORDED[cpu][0]), "avx2")
        assert llama_builds.chosen_variant(X64, features) == "haswell"


def test_cores_of_different_kinds_share_their_features() -> None:
    small = "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"
    features = llama_builds.cpu_features(cpuinfo(small, f"{small} i8mm sve", name="Features\t"), "")
    assert features == frozenset(small.split())
    assert llama_builds.chosen_variant(ARM64, features) == "armv8.2_2"
    assert llama_builds.chosen_variant(ARM64, features | {"sve", "i8mm", "sve2"}) == "armv8.6_2"
    assert llama_builds.cpu_features("no such lines", "") == frozenset()


@pytest.fixture
def epyc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any llama.cpp, with the flags of an EPYC; the current folder is ``tmp_path/project/src``."""
    (tmp_path / "cpuinfo").write_text(cpuinfo(RECORDED["EPYC 9004"][0]))
    (tmp_path / "bin").mkdir()
    (tmp_path / "project/src").mkdir(parents=True)
    monkeypatch.setattr(llama_builds, "_CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("PYHEXAGON_CPU", raising=False)
    monkeypatch.chdir(tmp_path / "project/src")
    return tmp_path


def files(folder: Path, *names: str, mode: int = 0o644) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("")
        (folder / name).chmod(mode)
    return folder


def npm(prefix: Path, *variants: str) -> Path:
    package = prefix / "node_modules/@node-llama-cpp/linux-x64"
    names = (f"libggml-cpu-{variant}.so" for variant in variants)
    folder = files(package / "bins/linux-x64", "libggml-base.so", "libllama-common.so", "libllama.v0.5.0.so", *names)
    (package / "package.json").write_text('{\n  "name": "@node-llama-cpp/linux-x64",\n  "version": "3.22.1"\n}\n')
    return folder


def test_npms_package_in_a_folder_above(epyc: Path) -> None:
    folder = npm(epyc / "project", "haswell", "zen4", "sapphirerapids", "x64")
    found = llama_builds.best()
    assert found.name == "@node-llama-cpp/linux-x64 3.22.1, libggml-cpu-zen4.so"
    assert (found.library, found.cpu) == (folder / "libllama.v0.5.0.so", folder / "libggml-cpu-zen4.so")


def test_the_build_with_the_most_features_wins(epyc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = files(epyc / "site/xllamacpp", "xllamacpp.abi3.so", "__init__.py")
    spec = type("Spec", (), {"origin": str(wheel / "__init__.py")})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: spec if name == "xllamacpp" else None)
    assert llama_builds.best().library == wheel / "xllamacpp.abi3.so"
    npm(epyc / "project/src", "x64", "sse42")
    assert llama_builds.best().library == wheel / "xllamacpp.abi3.so"
    npm(epyc / "project", "x64", "icelake")
    assert llama_builds.best().name.endswith("libggml-cpu-icelake.so")
    monkeypatch.setenv("PYHEXAGON_CPU", "avx2")
    monkeypatch.setattr("pyhexagon.process.locate.cpu_level", lambda: "avx2")
    assert llama_builds.best().library == wheel / "xllamacpp.abi3.so"
    program = files(epyc / "bin", "llama-bench", mode=0o755) / "llama-bench"
    assert llama_builds.best() == llama_builds.Build(str(program), program=program)
    beside = files(epyc / "lib", "libllama.so", "libggml-cpu.so")
    assert llama_builds.best() == llama_builds.Build(str(beside), beside / "libllama.so")


def test_a_folder_that_the_user_names(epyc: Path) -> None:
    npm(epyc / "project", "zen4")
    folder = files(epyc / "llama/build/bin", "libllama.so", "libggml-cpu-haswell.so", "libggml-cpu-cannonlake.so")
    found = llama_builds.best(str(epyc / "llama"))
    assert (found.library, found.cpu) == (folder / "libllama.so", folder / "libggml-cpu-cannonlake.so")
    program = files(epyc / "programs", "llama-bench", mode=0o755) / "llama-bench"
    assert llama_builds.best(str(epyc / "programs")).program == program
    assert llama_builds.best(str(program)).program == program
    files(epyc / "new", "libllama.so", "libggml-cpu-sapphirerapids.so")
    for wrong in ("new", "bin", "no such folder", "cpuinfo"):
        with pytest.raises(ArgumentError, match="nor a folder with a libllama that this CPU runs"):
            llama_builds.best(str(epyc / wrong))


@pytest.mark.usefixtures("epyc")
def test_the_command_that_installs_it_where_there_is_none() -> None:
    with pytest.raises(UnsupportedError, match=r"llama\.cpp was not found.*npm install @node-llama-cpp/linux-x64"):
        llama_builds.best()


def test_parameters_are_found_in_any_layout() -> None:
    end = bytes(16) + struct.pack("2i", 1, 1) + bytes(16) + bytes((0, 1, 1, 1, 1, 0)) + bytes(90)
    for fields in (struct.pack("6I", 512, 2048, 512, 1, 4, 4), struct.pack("12I", 512, 2048, 512, 1, 0, 0, *range(6))):
        changed = llama_library.context_parameters(fields + end, 4096, "q8_0")
        expected = struct.pack("I", 4096) + fields[4:] + bytes(16) + struct.pack("2i", 8, 8) + bytes(16)
        assert changed == expected + bytes((0, 1, 1, 1, 0, 0)) + bytes(90)
    for wrong in (fields[4:] + end, fields + bytes(4) + end, fields + end[1:], fields + end + bytes(6) + end):
        with pytest.raises(llama_library.LlamaError, match="other default parameters"):
            llama_library.context_parameters(wrong, 4096, "q8_0")
