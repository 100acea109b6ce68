# SPDX-License-Identifier: MIT
"""Texts to tokens and back, as the vocabulary of a GGUF file has them: the same ids as llama.cpp.

The merging is done by the ``tokenizers`` package. Special tokens are cut out of the text before; tokens become text
byte by byte, so that a stream never breaks a character.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Final

import numpy as np

from pyhexagon.errors import ArgumentError, GGUFError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm import subwords
from pyhexagon.llm.pretokenise import WORDS
from pyhexagon.llm.subwords import SPACE as _SPACE

_LONG_TEXT: Final = 4096  # characters, from which on other threads run while it is tokenized
_END_TOKENS: Final = frozenset({
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<end_of_turn>", "<|endoftext|>", "</s>",
    "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<|flush|>",
    "<|calls|>", "<turn|>", "<|tool_response>", "[e~[", "<\uff5cend\u2581of\u2581sentence\uff5c>",
})  # fmt: skip
_NO_ENDS: Final = (  # where both are there, "<|end|>" ends a message only, and more follow
    ("<|return|>", "<|call|>"),
    ("<|calls|>", "<|flush|>"),
)
_FILL_IN: Final = {  # tokens of code that is filled in: they end what a model says, too
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}
_WHITE: Final = " \t\n\v\f\r"
_BROKEN: Final = "surrogateescape"  # how bytes that are no UTF-8 are kept in a text
_LONE: Final = re.compile("[\udc80-\udcff]")
_LENGTHS: Final = (1,) * 12 + (2, 2, 3, 4)  # of a character, by the upper four bits of its first byte
_PLAIN: Final = "\ufdd0"  # a noncharacter of Unicode: within a name, it keeps it from meaning a token


class TokenType(IntEnum):
    """Of ``tokenizer.ggml.token_type``."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class Tokenizer:
    """The tokenizer of a model.

    Args:
        file: of the model.

    Raises:
        UnsupportedError: a vocabulary of a kind that is not known; or the packages of ``pyhexagon[llm]`` are missing.
        GGUFError: the file's vocabulary is missing or contradicts itself.

    Attributes:
        n_tokens: how many tokens there are.
        bos, eos: the ids of begin and end, None where there are none.
        ends: ids of the tokens that end what a model says.
        control: ids of those that are no text.
        add_bos, add_eos: whether ``encode`` puts them there.
    """

    def __init__(self, file: GGUFFile) -> None:
        vocabulary = _Vocabulary(file)
        kind = vocabulary.text("model", "")
        self._tokens = vocabulary.tokens
        self.n_tokens = len(self._tokens)
        self._ids = {token: number for number, token in enumerate(self._tokens)}
        if len(self._ids) != self.n_tokens:
            raise GGUFError(f"{file.path}: tokens of its vocabulary are there twice")
        self._types = vocabulary.types
        self._is_spm, self._is_words = kind in ("llama", "t5"), kind == "bert"
        add_bos = add_space = kind == "llama"
        bos: int | None
        eos: int | None
        self._fold: subwords.Fold | None = None
        self._normalize: Callable[[str], str] | None = None
        if kind == "llama":
            bos, eos = 1, 2
            self._model = subwords.bpe_by_score(self._tokens, self._ids, vocabulary.scores())
        elif kind == "t5":
            bos, eos, unknown = None, 1, vocabulary.token("unknown_token_id", 2)
            if unknown is None:
                raise GGUFError(f"{file.path}: its unigram vocabulary has no token for what is unknown")
            self._model = subwords.unigram(self._tokens, vocabulary.scores(), unknown)
            self._normalize = vocabulary.normalizer()
        elif kind == "gpt2":
            words = vocabulary.text("pre", "default")
            if words not in WORDS:
                raise UnsupportedError(
                    f"{file.path}: the tokenizer cuts words as {words!r} does; known are {', '.join(WORDS)}"
                )
            add_bos, bos, eos = WORDS[words].add_bos, WORDS[words].bos, 11
            self._model = subwords.bpe_by_rank(self._ids, vocabulary.merges(), words)
        elif self._is_words:
            bos, eos = 101, 102
            self._model = subwords.word_pieces(self._tokens, vocabulary.token("unknown_token_id", 100))
            lowercase = vocabulary.flag("normalizer.lowercase", True)
            strip_accents = vocabulary.flag("normalizer.strip_accents", lowercase)
            self._fold = subwords.Fold(lowercase=lowercase, strip_accents=strip_accents)
        else:
            raise UnsupportedError(
                f"{file.path}: a tokenizer of the kind {kind!r}; known are 'llama', 'gpt2', 'bert' and 't5'"
            )
        self._add_space = vocabulary.flag("add_space_prefix", add_space)
        self.bos = vocabulary.token("bos_token_id", bos)
        self.eos = vocabulary.token("seperator_token_id" if self._is_words else "eos_token_id", eos)
        self.add_bos = vocabulary.flag("add_bos_token", add_bos or self._is_words) and self.bos is not None
        self.add_eos = vocabulary.flag("add_eos_token", kind in ("bert", "t5")) and self.eos is not None
        self.ends = self._end_tokens(vocabulary)
        special = np.isin(self._types, (TokenType.CONTROL, TokenType.USER_DEFINED, TokenType.UNKNOWN))
        self.control = frozenset(np.flatnonzero(self._types == TokenType.CONTROL).tolist())
        self._special = sorted((self._tokens[one] for one in np.flatnonzero(special)), key=len, reverse=True)
        self._alphabet = None if kind != "gpt2" else {letter: byte for byte, letter in subwords.byte_letters().items()}
        self._strip_before, self._strip_after = self._stripping(str(file.metadata.get("general.name", "")).lower())

    def _end_tokens(self, vocabulary: _Vocabulary) -> frozenset[int]:
        """Those that the file names, those with known names, and those of code that is filled in."""
        named = [self.eos, vocabulary.token("eot_token_id", None), vocabulary.token("eom_token_id", None)]
        for key, names in _FILL_IN.items():
            known = next((self._ids[name] for name in names if name in self._ids), None)
            named.append(vocabulary.token(f"{key}_token_id", known))
        ends = {one for one in (*named, *map(self._ids.get, _END_TOKENS)) if one is not None}
        for end in ends:
            self._types[end] = TokenType.CONTROL
        if any(self._ids.keys() >= set(pair) for pair in _NO_ENDS):
            ends.discard(self._ids.get("<|end|>", -1))
        return frozenset(ends)

    def _stripping(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        """Special tokens that take the white space before them, and after them: known by the name of the model."""
        before: set[str] = set()
        if any(one in name for one in ("jina-v2-", "jina-bert-v3", "nomic-bert-moe")):
            before = {"<mask>"}
        elif "modern-bert" in name:
            before = {"[MASK]"}
        phi3 = "phi-3" in name or "phi3" in name
        after = {*self._special, "</s>"} - {"<unk>", "<s>", "<|endoftext|>"} if phi3 else set()
        return frozenset(before), frozenset(after)

    def encode(self, text: str, *, special: bool = True, add_special: bool = True) -> list[int]:
        """The ids of a text.

        Args:
            text: any text; a lone surrogate is taken for U+FFFD.
            special: whether the names of control tokens in it mean these tokens; what the file calls user-defined
                tokens always does. Those that ``neutral`` has marked are text.
            add_special: whether BOS and EOS are added, where the model wants them.
        """
        if not isinstance(text, str):
            raise ArgumentError(f"a text is {type(text).__name__}, not str")
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if not text.isascii() else text
        return self._encode(text, special, add_special)

    def encode_bytes(self, content: bytes, *, special: bool = True, add_special: bool = True) -> list[int]:
        """As ``encode``, and llama.cpp's ids of bytes that are no UTF-8: SentencePiece's vocabularies have tokens for
        them, for others each is U+FFFD."""
        try:
            return self.encode(content.decode(), special=special, add_special=add_special)
        except UnicodeDecodeError:
            return self._encode(content.decode("utf-8", _BROKEN), special, add_special)

    def _encode(self, text: str, special: bool, add_special: bool) -> list[int]:
        """Bytes that are no UTF-8 may be there, as lone surrogates."""
        ids = [self.bos] if add_special and self.add_bos and self.bos is not None else []
        after_special = True
        for part in self._cut(text, special):
            if isinstance(part, int):
                ids.append(part)
            else:
                ids += self._encode_plain(part.replace(_PLAIN, ""), after_special)
            after_special = isinstance(part, int)
        if add_special and self.add_eos and self.eos is not None:
            ids.append(self.eos)
        return ids

    def neutral(self, text: str) -> str:
        """The text, with names of control tokens in it marked, so that ``encode`` takes them for text: for what
        strangers write. The mark is U+FDD0, which is no character; those in the text become U+FFFD."""
        text = text.replace(_PLAIN, "\ufffd")
        for name in self._special:
            if len(name) > 1 and name in text and self._types[self._ids[name]] != TokenType.USER_DEFINED:
                text = text.replace(name, f"{name[0]}{_PLAIN}{name[1:]}")
        return text

    def encode_within(self, text: str) -> list[int]:
        """The ids of a text that goes on another one and has no special tokens."""
        return self._encode_plain(text, after_special=False)

    def _cut(self, text: str, special: bool) -> list[str | int]:
        """The text with its special tokens cut out, the longest first."""
        parts: list[str | int] = [text] if text else []
        for token in self._special:
            if token not in text or not (special or self._types[self._ids[token]] == TokenType.USER_DEFINED):
                continue
            cut: list[str | int] = []
            for part in parts:
                if isinstance(part, int) or token not in part:
                    cut.append(part)
                    continue
                pieces = part.split(token)
                for number, piece in enumerate(pieces):
                    left = piece.lstrip(_WHITE) if number and token in self._strip_after else piece
                    left = left.rstrip(_WHITE) if number < len(pieces) - 1 and token in self._strip_before else left
                    cut += [self._ids[token]] if number else []
                    cut += [left] if left else []
            parts = cut
        return parts

    def _encode_broken(self, text: str) -> list[int]:
        """Of a text of SentencePiece with bytes that are no UTF-8. A first byte takes as many as it announces with it,
        whatever they are: all of these are tokens of bytes then."""
        content, ids, valid, at = text.encode("utf-8", _BROKEN), list[int](), "", 0
        while at < len(content):
            one = content[at : at + _LENGTHS[content[at] >> 4]]
            at += len(one)
            try:
                valid += one.decode()
            except UnicodeDecodeError:
                ids += [*self._model.encode(valid, add_special_tokens=False).ids] if valid else []
                ids += [self._ids[f"<0x{byte:02X}>"] for byte in one]
                valid = ""
        return ids + (list(self._model.encode(valid, add_special_tokens=False).ids) if valid else [])

    def _encode_plain(self, text: str, after_special: bool) -> list[int]:
        if self._fold is not None:
            text = text.translate(self._fold)
        elif self._normalize is not None:
            text = self._normalize(text)
        elif self._is_spm:
            text = (" " if self._add_space and after_special else "") + text
            text = text.replace(" ", _SPACE)
        if not text.isascii() and _LONE.search(text):
            if self._is_spm and self._normalize is None:
                return self._encode_broken(text)
            text = _LONE.sub("\ufffd", text)
        if len(text) > _LONG_TEXT:  # encode() would hold the GIL; encode_batch_fast() releases it
            return list(self._model.encode_batch_fast([text], add_special_tokens=False)[0].ids)
        return list(self._model.encode(text, add_special_tokens=False).ids)

    @property
    def adds_space(self) -> bool:
        """Whether ``encode`` puts a space before a text."""
        return self._add_space

    def id_of(self, name: str) -> int | None:
        """The token that the vocabulary has by a name; None if there is none."""
        return self._ids.get(name)

    def name(self, token: int) -> str:
        """A token as the vocabulary has it."""
        return self._tokens[token]

    def token_bytes(self, token: int, *, special: bool = False) -> bytes:
        """What a token stands for.

        Args:
            token: 0 to n_tokens - 1.
            special: whether control tokens are written by their names; else they are nothing.
        """
        if not 0 <= token < self.n_tokens:
            raise ArgumentError(f"there is no token {token}: they are 0 to {self.n_tokens - 1}")
        text, kind = self._tokens[token], int(self._types[token])
        if kind in (TokenType.CONTROL, TokenType.UNKNOWN, TokenType.UNUSED) and not special:
            return b""
        if kind == TokenType.BYTE:
            return bytes([int(text[3:5], 16)])
        if self._alphabet is not None and kind == TokenType.NORMAL:
            return b"".join(
                bytes([self._alphabet[letter]]) if letter in self._alphabet else letter.encode() for letter in text
            )
        return (text.replace(_SPACE, " ") if self._is_spm or self._is_words else text).encode()

    def decode(self, tokens: Iterable[int], *, special: bool = False) -> str:
        """The text of tokens; bytes that are no UTF-8 become U+FFFD."""
        decoder = self.decoder(special=special)
        return "".join([*map(decoder.add, tokens), decoder.rest()])

    def decoder(self, *, special: bool = False, after: Sequence[int] = ()) -> Decoder:
        """What decodes tokens one by one.

        Args:
            special: whether control tokens are written by their names.
            after: tokens before them: at the start of a text, the space that ``encode`` puts there is left out.
        """
        at_start = self._add_space and not any(map(self.token_bytes, after))
        return Decoder(self, special=special, at_start=at_start)


class Decoder:
    """Tokens to text, one by one; made by ``Tokenizer.decoder``."""

    def __init__(self, tokenizer: Tokenizer, *, special: bool, at_start: bool) -> None:
        self._tokenizer, self._special, self._at_start = tokenizer, special, at_start
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: int) -> str:
        """The characters that the token completes."""
        content = self._tokenizer.token_bytes(token, special=self._special)
        if self._at_start and content:
            content = content.removeprefix(b" ")
            self._at_start = False
        return self._decoder.decode(content)

    def rest(self) -> str:
        """At the end: U+FFFD for a character that was not completed."""
        return self._decoder.decode(b"", final=True)


class _Vocabulary:
    """The keys tokenizer.ggml.*, checked."""

    def __init__(self, file: GGUFFile) -> None:
        self._file = file
        tokens = self._get("tokens")
        if not isinstance(tokens, list) or not tokens:
            raise GGUFError(f"{file.path} has no vocabulary: tokenizer.ggml.tokens")
        self.tokens = [token or f"[EMPTY_{number}]" for number, token in enumerate(tokens)]
        self.types = self._numbers("token_type", "iu", TokenType.NORMAL).astype(np.int32)

    def _get(self, name: str) -> object:
        return self._file.metadata.get(f"tokenizer.ggml.{name}")

    def _wrong(self, name: str, what: str) -> GGUFError:
        return GGUFError(f"{self._file.path}: tokenizer.ggml.{name} {what}")

    def _numbers(self, name: str, kinds: str, default: float) -> np.ndarray:
        value = self._get(name)
        if value is None:
            return np.full(len(self.tokens), default)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds or len(value) != len(self.tokens):
            raise self._wrong(name, f"is not a number for each of {len(self.tokens)} tokens")
        return np.array(value)

    def scores(self) -> np.ndarray:
        """Of each token."""
        return self._numbers("scores", "iuf", 0.0)

    def merges(self) -> list[tuple[str, str]]:
        """Pairs of tokens, the first ones first."""
        merges = self._get("merges")
        if not isinstance(merges, list):
            raise self._wrong("merges", "is missing")
        pairs = []
        for merge in merges:
            left, _, right = merge.partition(" ") if not merge.startswith(" ") else (" ", "", merge[2:])
            pairs.append((left, right))
        return pairs

    def text(self, name: str, default: str) -> str:
        value = self._get(name)
        return value if isinstance(value, str) else default

    def flag(self, name: str, default: bool) -> bool:
        value = self._get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, f"is {value!r}, neither true nor false")
        return default if value is None else value

    def normalizer(self) -> Callable[[str], str]:
        """What is done to a text before a unigram model: its characters are mapped, and its spaces marked."""
        charsmap = self._get("precompiled_charsmap")
        if charsmap is not None and not isinstance(charsmap, np.ndarray):
            raise self._wrong("precompiled_charsmap", "is not an array of bytes")
        try:
            mapped = subwords.characters_mapped(b"" if charsmap is None else charsmap.astype(np.uint8).tobytes())
        except (ValueError, IndexError) as error:
            raise self._wrong("precompiled_charsmap", f"cannot be read: {error}") from None
        prefix, merged = self.flag("add_space_prefix", False), self.flag("remove_extra_whitespaces", False)

        def normalize(text: str) -> str:
            text = mapped(text)
            if merged:
                return "".join(f"{_SPACE}{word}" for word in text.split(" ") if word)
            at = len(text) - len(text.lstrip(" "))
            if prefix and at < len(text):
                text = f"{text[:at]} {text[at:]}"
            return text.replace(" ", _SPACE)

        return normalize

    def token(self, name: str, default: int | None) -> int | None:
        """An id; None if there is none of this number."""
        value = self._get(name)
        number = value if isinstance(value, int) else default
        return number if number is not None and 0 <= number < len(self.tokens) else None
