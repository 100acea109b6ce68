# SPDX-License-Identifier: MIT
"""How BPE vocabularies cut a text into words before they merge: regular expressions, by ``tokenizer.ggml.pre``."""

from __future__ import annotations

from typing import Final, NamedTuple


class Words(NamedTuple):
    """Attributes:
    patterns: each cuts what the ones before have left into what it matches and what lies between.
    ignore_merges: a word that is a token is taken as it is.
    add_bos: whether a text begins with BOS where the file does not say.
    """

    patterns: tuple[str, ...]
    ignore_merges: bool = False
    add_bos: bool = False


_CONTRACTIONS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CAPITALS: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SMALL: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD: Final = r"[^\r\n\p{L}\p{N}]?"

_GPT2: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_LLAMA3: Final = rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_QWEN2: Final = rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_GPT4O: Final = (
    rf"{_LEAD}{_CAPITALS}*{_SMALL}+{_CONTRACTIONS}?|{_LEAD}{_CAPITALS}+{_SMALL}*{_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"
)
_TEKKEN: Final = (
    rf"{_LEAD}{_CAPITALS}*{_SMALL}+|{_LEAD}{_CAPITALS}+{_SMALL}*|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"
)

WORDS: Final[dict[str, Words]] = {
    **dict.fromkeys(("gpt-2", "phi-2"), Words((_GPT2,))),
    **dict.fromkeys(("smollm", "starcoder", "refact"), Words((r"\p{N}", _GPT2))),
    **dict.fromkeys(("llama3", "llama-v3", "llama-bpe"), Words((_LLAMA3,), ignore_merges=True, add_bos=True)),
    **dict.fromkeys(("smaug-bpe", "dbrx"), Words((_LLAMA3,))),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "stablelm2"), Words((_QWEN2,))),
    **dict.fromkeys(("gpt-4o", "llama4"), Words((_GPT4O,))),
    "tekken": Words((_TEKKEN,), ignore_merges=True, add_bos=True),
}
