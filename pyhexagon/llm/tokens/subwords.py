# SPDX-License-Identifier: MIT
"""Subword models, run by the package ``tokenizers``: BPE by rank over bytes or characters, WordPiece and unigram.

Each function returns the model's encoder, from text to ids. scored_bpe.py has SentencePiece's BPE.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from pyhexagon import extras
from pyhexagon.llm.tokens.pretokenise import LINES, WORDS
from pyhexagon.llm.tokens.scored_bpe import SPACE

if TYPE_CHECKING:
    import tokenizers

Encode = Callable[[str], list[int]]

_LONG_TEXT: Final = 4096  # characters; while a longer text is encoded, other threads run
_UNREACHABLE: Final = " "  # within a token: normalized texts and words have no spaces
_LINE_WITHOUT_SPACE: Final = re.compile(rf"^(?=[^\n{SPACE}])", re.MULTILINE)
_LONGEST_WORD: Final = 1000  # characters; a longer one is unknown
_WHITE: Final = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_HAN: Final = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


def _library() -> type[tokenizers.Tokenizer]:
    with extras.needed("language models", "llm"):
        from tokenizers import Tokenizer as Library
    return Library


def _encoder(model: tokenizers.Tokenizer) -> Encode:
    def encode(text: str) -> list[int]:
        if len(text) > _LONG_TEXT:  # encode() would hold the GIL; encode_batch_fast() releases it
            return list(model.encode_batch_fast([text], add_special_tokens=False)[0].ids)
        return list(model.encode(text, add_special_tokens=False).ids)

    return encode


def _known(ids: dict[str, int], merges: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the merges of tokens whose result is a token."""
    return [(left, right) for left, right in merges if left in ids and right in ids and left + right in ids]


def bpe_of_characters(ids: dict[str, int], merges: list[tuple[str, str]], words: str = LINES) -> Encode:
    """Return BPE over characters. A character that is no token becomes the tokens of its bytes.

    Args:
        words: the pattern of words, of ``CHARACTERS``. If words begin with spaces, so does each line.
    """
    make = _library()
    from tokenizers import Regex, models, pre_tokenizers

    model = make(models.BPE(ids, _known(ids, merges), byte_fallback=True))
    model.pre_tokenizer = pre_tokenizers.Split(Regex(words), "isolated")
    encode = _encoder(model)
    return encode if words == LINES else lambda text: encode(_LINE_WITHOUT_SPACE.sub(SPACE, text))


def bpe_by_rank(ids: dict[str, int], merges: list[tuple[str, str]], words: str) -> Encode:
    """Return BPE over bytes, each of which is written as a letter."""
    make = _library()
    from tokenizers import Regex, models, pre_tokenizers

    model = make(models.BPE(ids, _known(ids, merges), ignore_merges=WORDS[words].ignore_merges))
    model.pre_tokenizer = pre_tokenizers.Sequence([
        *(pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in WORDS[words].patterns),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    return _encoder(model)


def word_pieces(tokens: Sequence[str], unknown: int | None, names: np.ndarray) -> Encode:
    """Return WordPiece, for texts that ``Fold`` has normalized: it takes the longest known piece of a word repeatedly.

    The vocabulary marks the first piece of a word with a space; the library marks the other pieces with ``##``.

    Args:
        unknown: stands for words that have no pieces; with None they have no ids.
        names: the tokens that no text becomes.
    """
    make = _library()
    from tokenizers import models, pre_tokenizers

    texts = [(token, number) for number, token in enumerate(tokens) if not names[number]]
    ids = {f"##{token}": number for token, number in texts}
    ids |= {token[len(SPACE) :]: number for token, number in texts if token.startswith(SPACE)}
    ids |= {} if unknown is None else {_UNREACHABLE: unknown}
    model = make(models.WordPiece(ids, unk_token=_UNREACHABLE, max_input_chars_per_word=_LONGEST_WORD))
    model.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return _encoder(model)


class Fold(dict[int, str]):
    """The table of ``str.translate`` that normalizes text for WordPiece as llama.cpp does.

    `strip_accents` removes accents and `lowercase` capitals; punctuation and Han characters become words of their own;
    control characters are dropped. `strip_accents` keeps only the first letter of a Hangul syllable.
    """

    def __init__(self, *, lowercase: bool, strip_accents: bool) -> None:
        self._lowercase, self._strip_accents = lowercase, strip_accents

    def __missing__(self, code: int) -> str:
        self[code] = made = self._make(chr(code))
        return made

    def _make(self, character: str) -> str:
        if character in _WHITE:
            return " "
        first = unicodedata.normalize("NFD", character)[0] if self._strip_accents else character
        category = unicodedata.category(first)
        if character == "\ufffd" or category in ("Cc", "Cf", "Cs", "Co"):
            return ""
        if self._strip_accents and category[0] == "M":
            return ""
        alone = category[0] == "P" or (category[0] == "S" and first < "\x7f")
        alone = alone or any(start <= ord(first) <= end for start, end in _HAN)
        lower = first.lower()[0] if self._lowercase else first
        return f" {lower} " if alone else lower


def unigram(tokens: Sequence[str], scores: np.ndarray, unknown: int, names: np.ndarray) -> Encode:
    """Return SentencePiece's unigram model: the most likely segmentation of a text without spaces.

    Args:
        unknown: stands for text that has no tokens.
        names: the tokens that no text becomes.
    """
    make = _library()
    from tokenizers import models

    pieces = [_UNREACHABLE + token if names[number] else token for number, token in enumerate(tokens)]
    return _encoder(make(models.Unigram(list(zip(pieces, scores.tolist(), strict=True)), unknown, byte_fallback=False)))


def byte_letters() -> dict[int, str]:
    """Return the letter of each byte: the byte itself if it is printable, else a letter from U+0100 on."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in letters)
    return letters | {byte: chr(256 + number) for number, byte in enumerate(others)}
