# SPDX-License-Identifier: MIT
"""Unigram vocabularies normalize texts as SentencePiece does: the longest source of the map first."""

from __future__ import annotations

import base64
import json
import random
import sys
import unicodedata
from pathlib import Path
from typing import Any

import needs
import numpy as np
import pytest

from llm import vocabularies
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens.charsmap import Charsmap
from pyhexagon.llm.tokens.tokenizer import Tokenizer

RECORDED: dict[str, Any] = json.loads(vocabularies.RECORDED.read_text())
CONTENT = base64.b64decode(RECORDED["compositions"])
PAIRS = vocabularies.compositions()
LONGEST = max(map(len, PAIRS))


def replaced(text: str) -> str:
    """Return the text as a table of all sources maps it."""
    parts, at = [], 0
    while at < len(text):
        n = next((n for n in range(LONGEST, 0, -1) if text[at : at + n] in PAIRS), 0)
        parts.append(PAIRS[text[at : at + n]] if n else text[at])
        at += n or 1
    return "".join(parts)


def test_every_source_is_found_though_sources_share_nodes() -> None:
    charsmap = Charsmap(CONTENT)
    assert {source: charsmap(source) for source in PAIRS} == PAIRS


def test_the_longest_source_wins_anywhere_in_a_text() -> None:
    charsmap, choose = Charsmap(CONTENT), random.Random(1)
    sources = sorted(PAIRS)
    pieces = [*"abc 1\0\u0301\u00e9\u4e00\U0001f600\udc80\udcbf\udcea", *{letter for one in sources for letter in one}]
    for _ in range(2000):
        text = "".join(choose.choice(pieces if choose.random() < 0.5 else sources) for _ in range(12))
        assert charsmap(text) == replaced(text)


def test_decomposed_text_has_the_ids_of_composed_text(tmp_path: Path) -> None:
    recorded = {**RECORDED, "charsmap": RECORDED["compositions"]}
    known = {token for token, _ in recorded["unigram"]}
    recorded["unigram"] = [*recorded["unigram"], *((one, -9.0) for one in sorted({*PAIRS.values()} - known))]
    with GGUFFile(vocabularies.write(tmp_path / "v.gguf", vocabularies.unigram("like XLM-R", recorded))) as file:
        tokenizer = Tokenizer(file)
    text = "\uac00\uac01 \uc544\uc774\uc640 \u30d1\u30bd\u30b3\u30f3 \u30ac\u30ae"
    ids = tokenizer.encode(text, add_special=False)
    assert len(ids) > 8
    assert 3 not in ids
    assert tokenizer.encode(unicodedata.normalize("NFD", text), add_special=False) == ids


def changed(unit: int, value: int) -> bytes:
    """Return the map with another value in a unit of the trie."""
    content = bytearray(CONTENT)
    content[4 + 4 * unit : 8 + 4 * unit] = value.to_bytes(4, "little")
    return bytes(content)


def at_base(content: bytes, node: int) -> int:
    unit = int.from_bytes(content[4 + 4 * node : 8 + 4 * node], "little")
    return node ^ (unit >> 10 << ((unit & 0x200) >> 6))


@pytest.mark.parametrize("cut", [0, 3, 4, 100, len(CONTENT) - 10])
def test_a_map_that_is_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(ValueError, match=r"bytes with a trie of|outside the texts|utf-8"):
        Charsmap(CONTENT[:cut])


def test_a_damaged_trie_is_refused() -> None:
    node = at_base(CONTENT, 0) ^ 0xE1
    assert CONTENT[4 + 4 * node] == 0xE1
    with pytest.raises(ValueError, match="not UTF-8"):
        Charsmap(changed(node, (node ^ at_base(CONTENT, 0)) << 10 | 0xE1))  # a circle
    with pytest.raises(ValueError, match="not UTF-8"):
        Charsmap(changed(node, int.from_bytes(CONTENT[4 + 4 * node : 8 + 4 * node], "little") | 0x100))
    (values,) = np.nonzero(np.frombuffer(CONTENT, "<u4", int.from_bytes(CONTENT[:4], "little") // 4, 4) & 0x80000000)
    with pytest.raises(ValueError, match="outside the texts"):
        Charsmap(changed(int(values[0]), 0xFFFFFFFF))
    with pytest.raises(ValueError, match="utf-8"):
        Charsmap(CONTENT[:-3] + b"\xff\0\0")


def test_a_circle_of_characters_is_refused() -> None:
    units = np.full(256, 0x80000000, "<u4")
    units[0], units[1 ^ ord("a")] = 1 << 10, ord("a") << 10 | ord("a")
    trie = units.tobytes()
    with pytest.raises(ValueError, match="more than 256 bytes"):
        Charsmap(len(trie).to_bytes(4, "little") + trie + b"x\0")


def test_any_damage_is_refused_or_harmless() -> None:
    choose, text = random.Random(2), "".join(PAIRS) + "ab\0\udcea"
    refused = 0
    for _ in range(150):
        content = bytearray(CONTENT)
        for _ in range(choose.randrange(1, 40)):
            content[choose.randrange(4, len(content))] ^= 1 << choose.randrange(8)
        try:
            charsmap = Charsmap(bytes(content))
        except ValueError:
            refused += 1
        else:
            charsmap(choose.choice(text) + text[choose.randrange(9000) :][:300])
    assert 50 < refused < 150


@pytest.mark.long
@pytest.mark.parametrize("rule", ["nmt_nfkc", "nfkc_cf"])
def test_texts_are_normalized_as_sentencepiece_normalizes_them(rule: str) -> None:
    """All characters, and random texts in all four normal forms. XLM-R's map is nmt_nfkc."""
    needs.require("sentencepiece")
    sentencepiece, proto = vocabularies.sentencepiece_package()
    reference = sentencepiece.SentencePieceNormalizer(
        rule_name=rule, add_dummy_prefix=False, escape_whitespaces=False, remove_extra_whitespaces=False
    )
    spec = proto.NormalizerSpec.FromString(reference.serialized_normalizer_spec())
    charsmap, choose = Charsmap(spec.precompiled_charsmap), random.Random(rule)
    letters = [chr(one) for one in range(1, sys.maxunicode + 1) if not 0xD800 <= one < 0xE000]
    assert [one for one in letters if charsmap(one) != reference.normalize(one)] == []
    known = [one for one in letters if unicodedata.category(one) not in ("Cn", "Co")]
    marks = [one for one in known if unicodedata.category(one)[0] == "M"]
    for number in range(40_000):
        text = "".join(choose.choice(known) + "".join(choose.choices(marks, k=choose.randrange(3))) for _ in range(5))
        text += "".join(chr(0xAC00 + choose.randrange(11_172)) + chr(0x30A0 + choose.randrange(96)) for _ in range(2))
        text = unicodedata.normalize(("NFC", "NFD", "NFKC", "NFKD")[number % 4], text)
        assert charsmap(text) == reference.normalize(text), ascii(text)
