# SPDX-License-Identifier: MIT
"""The binding agrees with the recorded ABI of libcdsprpc: every constant, enum, struct, function and error code.

Probe programs compiled against the public headers made the record, fastrpc-abi.json beside this file (64-bit Linux;
aarch64 and x86-64 give the same numbers). "exported" says which symbols a build of the library has.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pyhexagon._ffi import invoke
from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import Handle64
from pyhexagon.errors import aee

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ("rpcmem.h", "remote.h", "dspqueue.h")


@pytest.fixture(scope="module")
def abi() -> Any:
    return json.loads(Path(__file__).with_name("fastrpc-abi.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def codes(abi: Any) -> Any:
    return abi["codes"]


@pytest.fixture(scope="module")
def declarations() -> str:
    """Return the three headers without their comments."""
    folder = ROOT / "pyhexagon" / "_ffi" / "cdef"
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in HEADERS)
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def test_constants_match_the_record_and_none_is_extra(abi: Any, declarations: str) -> None:
    declared = re.findall(r"^#define (\w+)", declarations, flags=re.MULTILINE)
    assert {name: ffi.integer_const(name) for name in declared} == abi["constants"]


def test_enums_match_the_record_and_none_is_extra(abi: Any, declarations: str) -> None:
    expected = abi["enums"]
    typedefs = ffi.list_types()[0]
    for name, fact in expected.items():
        ctype = ffi.typeof(name if name in typedefs else f"enum {name}")
        assert ctype.relements == fact["values"], name
        assert ffi.sizeof(ctype) == fact["size"], name
    assert len(re.findall(r"\benum (?:\w+ )?\{", declarations)) == len(expected)


def _members(ctype: Any) -> dict[str, tuple[int, int]]:
    """Return offset and size by name; members of anonymous unions count as the outer struct's."""
    members = {}
    for name, field in ctype.fields:
        if name:
            members[name] = (field.offset, ffi.sizeof(field.type))
        else:
            members |= {inner: (field.offset + at, size) for inner, (at, size) in _members(field.type).items()}
    return members


def test_structs_match_the_record_and_none_is_extra(abi: Any, declarations: str) -> None:
    expected = abi["structs"]
    for name, fact in expected.items():
        ctype = ffi.typeof(name)
        assert (ctype.kind, ffi.sizeof(ctype), ffi.alignof(ctype)) == (fact["kind"], fact["size"], fact["align"]), name
        assert _members(ctype) == {m["name"]: (m["offset"], m["size"]) for m in fact["members"]}, name
        if fact["c_tag"]:
            assert ffi.typeof(fact["c_tag"]) is ctype
    anonymous_unions = 2
    assert len(re.findall(r"\b(?:struct|union) (?:\w+ )?\{", declarations)) == len(expected) + anonymous_unions


def test_member_types_match_the_record(abi: Any) -> None:
    for name, fact in abi["structs"].items():
        for member in fact["members"]:
            if "(*)" in member["type"] or member.get("in_anonymous_union"):
                continue  # sizes and offsets are compared above; cffi has no spelling for parameter names
            field = dict(ffi.typeof(name).fields)[member["name"]]
            expected = ffi.typeof(member["type"].replace("const ", ""))
            assert field.type is expected, f"{name}.{member['name']}"


def test_typedefs_match_the_record(abi: Any) -> None:
    declared = set(ffi.list_types()[0])
    assert set(abi["typedefs"]) <= declared


def test_function_prototypes_match_the_record_and_none_is_extra(abi: Any, declarations: str) -> None:
    one_line = re.sub(r"\s+", " ", declarations)
    missing = [f["prototype"] for f in abi["functions"] if f"{f['prototype']};" not in one_line]
    assert not missing
    declared = re.findall(r"^[a-zA-Z][\w ]*?\*?(\w+)\([^*]", declarations, flags=re.MULTILINE)
    upstream_order = [f["name"] for header in HEADERS for f in abi["functions"] if f["header"] == header]
    assert [name for name in declared if name != "void"] == upstream_order


def test_a_client_gets_every_function_that_the_library_exports(abi: Any, declarations: str) -> None:
    exported = [f["name"] for f in abi["functions"] if f["exported"]]
    assert [name for name in exported if not re.search(rf"\b{name}\(", declarations)] == []


def test_scalars_are_laid_out_as_recorded(abi: Any) -> None:
    low_bit = abi["scalars"]
    no_library: Any = None
    call = invoke.PreparedCall(no_library, Handle64(0), 30, [b""] * 255, [bytearray()] * 254)
    assert call.scalars == 30 << low_bit["method"] | 255 << low_bit["in_buffers"] | 254 << low_bit["out_buffers"]


def test_aee_table_matches_the_record(codes: Any) -> None:
    assert dict(aee.CODES) == {code["name"]: code["host"] for code in codes if code["host"]}


def test_every_code_of_the_record_gets_its_name_and_side(codes: Any) -> None:
    for code in codes:
        host, from_dsp = code["host"], code["from_dsp"]
        assert code["name"] in aee.name(host).split(" or ")
        assert aee.origin(host) == ("kernel" if host < 0 else "host")
        assert code["name"] in aee.name(from_dsp).split(" or ")
        assert aee.normalise(from_dsp) == from_dsp & 0xFFFFFFFF
        assert (aee.origin(from_dsp) == "dsp") is not code.get("not_shifted", False)
    assert {code["name"] for code in codes if code.get("not_shifted")} == aee.NOT_SHIFTED | {"AEE_SUCCESS"}
