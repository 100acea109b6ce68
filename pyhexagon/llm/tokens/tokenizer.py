# SPDX-License-Identifier: MIT
"""Tokenize and detokenize text with the vocabulary of a GGUF file: the ids equal llama.cpp's.

special_tokens.py cuts special tokens out of the text; a subword model (subwords.py, scored_bpe.py) encodes the text
between them. Detokenizing works byte by byte, so that a stream never breaks a character.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from pyhexagon.errors import ArgumentError, GGUFError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens import subwords
from pyhexagon.llm.tokens.pretokenise import CHARACTERS, LINES, WORDS
from pyhexagon.llm.tokens.scored_bpe import SPACE, ScoredBPE
from pyhexagon.llm.tokens.special_tokens import SpecialTokens
from pyhexagon.llm.tokens.vocabulary import TokenType, Vocabulary

_END_TOKENS: Final = frozenset({
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<end_of_turn>", "<|endoftext|>", "</s>",
    "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>", "<eos>", "<|flush|>",
    "<|calls|>", "<turn|>", "<|tool_response>", "[e~[", "<\uff5cend\u2581of\u2581sentence\uff5c>",
})  # fmt: skip
_NO_ENDS: Final = (  # in a vocabulary with both, "<|end|>" ends a message only, and more messages follow
    ("<|return|>", "<|call|>"),
    ("<|calls|>", "<|flush|>"),
)
_FILL_IN: Final = {  # tokens of fill-in-the-middle, which end a completion, too
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}
_FILL_IN_PARTS: Final = {  # of the text around a gap
    "fim_pre": (
        "<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<PRE>", "\u2581<PRE>", "<\uff5cfim\u2581begin\uff5c>",
    ),
    "fim_suf": (
        "<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<SUF>", "\u2581<SUF>", "<\uff5cfim\u2581hole\uff5c>",
    ),
    "fim_mid": (
        "<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<MID>", "\u2581<MID>", "<\uff5cfim\u2581end\uff5c>",
    ),
    "fim_sep": _FILL_IN["fim_sep"],
}  # fmt: skip
_BROKEN: Final = "surrogateescape"  # keeps bytes that are not UTF-8 in a text
_PLACES: Final = re.compile(r"\{query\}|\{document\}")  # in a template for rerankers
_LONE: Final = re.compile("[\udc80-\udcff]")
_LENGTHS: Final = (1,) * 12 + (2, 2, 3, 4)  # of a character, by the upper four bits of its first byte


class Tokenizer:
    """The tokenizer of a model.

    Args:
        file: of the model.

    Raises:
        UnsupportedError: the vocabulary is of an unknown kind; or the packages of ``pyhexagon[llm]`` are missing.
        GGUFError: the file's vocabulary is missing or contradicts itself.

    Attributes:
        n_tokens: the size of the vocabulary.
        bos, eos: the ids of the begin and end tokens; None if the vocabulary has none.
        ends: ids of the tokens that end a completion.
        fill_in: ids of the fill-in-the-middle tokens that the vocabulary has, by "fim_pre", "fim_suf", "fim_mid" and
            "fim_sep".
        control: ids of the control tokens, which are no text.
        add_bos, add_eos: whether ``encode`` adds BOS and EOS.
    """

    def __init__(self, file: GGUFFile) -> None:
        vocabulary = Vocabulary(file)
        self._kind = kind = vocabulary.text("model", "")
        self._tokens = vocabulary.tokens
        self.n_tokens = len(self._tokens)
        self._ids = {token: number for number, token in enumerate(self._tokens)}
        if len(self._ids) != self.n_tokens:
            raise GGUFError(f"{file.path}: tokens of its vocabulary are there twice")
        self._types = vocabulary.types
        if kind == "gemma4" and "</s>" in self._ids:
            self._types[self._ids["</s>"]] = TokenType.NORMAL  # HTML's end of strike-through, not an end of text
        words = vocabulary.text("pre", "default") if kind == "gpt2" else ""
        of_characters = kind == "gemma4" or words in CHARACTERS
        self._is_spm, self._is_words = kind in ("llama", "t5") or of_characters, kind == "bert"
        add_bos = add_space = kind == "llama"
        bos: int | None
        eos: int | None
        if kind == "llama":
            bos, eos = 1, 2
        elif kind == "t5":
            bos, eos = None, 1
        elif kind == "gpt2":
            if words not in WORDS and words not in CHARACTERS:
                known = ", ".join((*WORDS, *CHARACTERS))
                raise UnsupportedError(f"{file.path}: the tokenizer cuts words as {words!r} does; known are {known}")
            add_bos, bos, eos = (WORDS[words].add_bos, WORDS[words].bos, 11) if words in WORDS else (False, 11, 11)
        elif kind == "gemma4":
            bos = eos = None
        elif self._is_words:
            bos, eos = 101, 102
        else:
            raise UnsupportedError(
                f"{file.path}: a tokenizer of the kind {kind!r}; known are 'llama', 'gpt2', 'gemma4', 'bert' and 't5'"
            )
        self._add_space = vocabulary.flag("add_space_prefix", add_space) and not of_characters
        self.bos = vocabulary.token("bos_token_id", bos)
        self.eos = vocabulary.token("seperator_token_id" if self._is_words else "eos_token_id", eos)
        wants_bos = vocabulary.flag("add_bos_token", add_bos or self._is_words)
        wants_bos = wants_bos or (of_characters and words != "mmbert")  # llama.cpp does not read that key for them
        self.add_bos = wants_bos and self.bos is not None
        self.add_eos = vocabulary.flag("add_eos_token", kind in ("bert", "t5")) and self.eos is not None
        self._has_sep = vocabulary.flag("add_sep_token", False)
        pair = file.metadata.get("tokenizer.chat_template.rerank")
        self._pair = pair if isinstance(pair, str) else None
        self.ends = self._end_tokens(vocabulary)
        self.fill_in = {key: ids for key in _FILL_IN_PARTS if (ids := self._fill_in(vocabulary, key)) is not None}
        self.control = frozenset(np.flatnonzero(self._types == TokenType.CONTROL).tolist())
        of_bytes = kind == "gpt2" and not of_characters
        self._alphabet = {letter: byte for byte, letter in subwords.byte_letters().items()} if of_bytes else None
        self._special = self._special_tokens(str(file.metadata.get("general.name", "")).lower())
        self._fold: subwords.Fold | None = None
        self._normalize: Callable[[str], str] | None = None
        self._subwords = self._subword_model(file, vocabulary)

    def __repr__(self) -> str:
        return f"<Tokenizer {self._kind}: {self.n_tokens:,} tokens, bos {self.bos}, eos {self.eos}>"

    def _end_tokens(self, vocabulary: Vocabulary) -> frozenset[int]:
        """Return the end tokens: named by the file, with known names, and of fill-in-the-middle."""
        named = [self.eos, vocabulary.token("eot_token_id", None), vocabulary.token("eom_token_id", None)]
        for key, names in _FILL_IN.items():
            found = next((self._ids[name] for name in names if name in self._ids), None)
            named.append(vocabulary.token(f"{key}_token_id", found))
        known = _END_TOKENS - ({"</s>"} if self._kind == "gemma4" else set())
        ends = {token for token in (*named, *map(self._ids.get, known)) if token is not None}
        for end in ends:
            self._types[end] = TokenType.CONTROL
        if any(self._ids.keys() >= set(pair) for pair in _NO_ENDS):
            ends.discard(self._ids.get("<|end|>", -1))
        return frozenset(ends)

    def _subword_model(self, file: GGUFFile, vocabulary: Vocabulary) -> subwords.Encode:
        """Return the encoder of the text between special tokens, and set what normalizes that text. No text becomes a
        control token.
        """
        names = np.isin(self._types, (TokenType.CONTROL, TokenType.UNKNOWN))
        if self._kind == "llama":
            return ScoredBPE(self._tokens, self._ids, vocabulary.scores(), names).encode
        if self._kind == "t5":
            unknown = vocabulary.token("unknown_token_id", 2)
            if unknown is None:
                raise GGUFError(f"{file.path}: its unigram vocabulary has no token for unknown text")
            self._normalize = vocabulary.normalizer()
            return subwords.unigram(self._tokens, vocabulary.scores(), unknown, names)
        if self._is_words:
            lowercase = vocabulary.flag("normalizer.lowercase", True)
            strip_accents = vocabulary.flag("normalizer.strip_accents", lowercase)
            self._fold = subwords.Fold(lowercase=lowercase, strip_accents=strip_accents)
            return subwords.word_pieces(self._tokens, vocabulary.token("unknown_token_id", 100), names)
        letters = self._alphabet or {}  # a byte is text, also where a vocabulary without ids ends texts with it
        ids = {token: number for token, number in self._ids.items() if not names[number] or token in letters}
        pre = vocabulary.text("pre", "default")
        if self._alphabet is None:
            return subwords.bpe_of_characters(ids, vocabulary.merges(), CHARACTERS.get(pre, LINES))
        return subwords.bpe_by_rank(ids, vocabulary.merges(), pre)

    def _fill_in(self, vocabulary: Vocabulary, key: str) -> int | None:
        known = next((self._ids[name] for name in _FILL_IN_PARTS[key] if name in self._ids), None)
        return vocabulary.token(f"{key}_token_id", known)

    def _special_tokens(self, model: str) -> SpecialTokens:
        """Return the special tokens; the name of the model tells which of them strip white space around them."""
        kinds = (TokenType.CONTROL, TokenType.USER_DEFINED, TokenType.UNKNOWN)
        ids = {self._tokens[number]: number for number in np.flatnonzero(np.isin(self._types, kinds)).tolist()}
        user_defined = {name for name, number in ids.items() if self._types[number] == TokenType.USER_DEFINED}
        before: set[str] = set()
        if any(name in model for name in ("jina-v2-", "jina-bert-v3", "nomic-bert-moe")):
            before = {"<mask>"}
        elif "modern-bert" in model:
            before = {"[MASK]"}
        phi3 = "phi-3" in model or "phi3" in model
        after = {*ids, "</s>"} - {"<unk>", "<s>", "<|endoftext|>"} if phi3 else set[str]()
        return SpecialTokens(ids, user_defined, before, after)

    def encode(self, text: str, *, special: bool = True, add_special: bool = True) -> list[int]:
        """Return the ids of a text.

        Args:
            text: any text; a lone surrogate counts as U+FFFD.
            special: whether names of control tokens in the text become these tokens; names of user-defined tokens
                always do. Names that ``neutral`` has marked stay text.
            add_special: whether to add BOS and EOS where the model wants them.
        """
        if not isinstance(text, str):
            raise ArgumentError(f"a text is {type(text).__name__}, not str")
        text = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace") if not text.isascii() else text
        return self._encode(text, special, add_special)

    def encode_bytes(self, content: bytes, *, special: bool = True, add_special: bool = True) -> list[int]:
        """Return the ids of UTF-8. Bytes that are not UTF-8 become byte tokens of a SentencePiece vocabulary, else
        U+FFFD, as in llama.cpp."""
        try:
            return self.encode(content.decode(), special=special, add_special=add_special)
        except UnicodeDecodeError:
            return self._encode(content.decode("utf-8", _BROKEN), special, add_special)

    def _encode(self, text: str, special: bool, add_special: bool) -> list[int]:
        """As ``encode``; lone surrogates stand for bytes that are not UTF-8."""
        ids = [self.bos] if add_special and self.add_bos and self.bos is not None else []
        after_special = True
        for part in self._special.cut(text, special):
            if isinstance(part, int):
                ids.append(part)
            else:
                ids += self._encode_plain(part, after_special)
            after_special = isinstance(part, int)
        if add_special and self.add_eos and self.eos is not None:
            ids.append(self.eos)
        return ids

    def neutral(self, text: str) -> str:
        """Return the text with its names of control tokens marked, so that ``encode`` takes them for text: for text of
        strangers. The mark is U+FDD0, which is no character; U+FDD0 in the text becomes U+FFFD."""
        return self._special.neutral(text)

    def encode_pair(self, query: str, document: str) -> list[int]:
        """Return the ids of a query with a document, as a reranker reads them: in the file's template for it, or one
        after the other. Names of control tokens in them are text.
        """
        texts = {"{query}": self.neutral(query), "{document}": self.neutral(document)}
        if self._pair is not None:
            return self.encode(_PLACES.sub(lambda place: texts[place[0]], self._pair), add_special=False)
        first, second = map(self.encode, texts.values())
        sep = [self.eos] if self._has_sep and self.eos is not None else []
        return first + sep + second[int(self.add_bos) :]

    def encode_within(self, text: str) -> list[int]:
        """Return the ids of a text that continues another text and has no special tokens."""
        return self._encode_plain(text, after_special=False)

    def _encode_broken(self, text: str) -> list[int]:
        """Return SentencePiece's ids of a text with bytes that are not UTF-8.

        A lead byte takes the number of bytes that it announces, whatever they are; all of them become byte tokens.
        """
        content, ids, valid, at = text.encode("utf-8", _BROKEN), list[int](), "", 0
        while at < len(content):
            character = content[at : at + _LENGTHS[content[at] >> 4]]
            at += len(character)
            try:
                valid += character.decode()
            except UnicodeDecodeError:
                ids += self._subwords(valid) if valid else []
                ids += [self._ids[f"<0x{byte:02X}>"] for byte in character]
                valid = ""
        return ids + (self._subwords(valid) if valid else [])

    def _encode_plain(self, text: str, after_special: bool) -> list[int]:
        if self._fold is not None:
            text = text.translate(self._fold)
        elif self._normalize is not None:
            text = self._normalize(text)
        elif self._is_spm:
            text = (" " if self._add_space and after_special else "") + text
            text = text.replace(" ", SPACE)
        if not text.isascii() and _LONE.search(text):
            if self._kind == "llama":
                return self._encode_broken(text)
            text = _LONE.sub("\ufffd", text)
        return self._subwords(text)

    @property
    def adds_space(self) -> bool:
        """Whether ``encode`` adds a space before the text."""
        return self._add_space

    def id_of(self, name: str) -> int | None:
        """Return the id of a token; None if the vocabulary does not have it."""
        return self._ids.get(name)

    def name(self, token: int) -> str:
        """Return a token as the vocabulary spells it."""
        return self._tokens[token]

    @cached_property
    def template_names(self) -> Mapping[str, str]:
        """The names of BOS and EOS, by the variables of chat templates; empty if there is none."""
        tokens = {"bos_token": self.bos, "eos_token": self.eos}
        return {variable: "" if token is None else self.name(token) for variable, token in tokens.items()}

    def token_bytes(self, token: int, *, special: bool = False) -> bytes:
        """Return the bytes of a token.

        Args:
            token: 0 to n_tokens - 1.
            special: whether control tokens are written by their names; else they are empty.
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
        return (text.replace(SPACE, " ") if self._is_spm or self._is_words else text).encode()

    def decode(self, tokens: Iterable[int], *, special: bool = False) -> str:
        """Return the text of tokens; bytes that are not UTF-8 become U+FFFD."""
        decoder = self.decoder(special=special)
        return "".join([*map(decoder.add, tokens), decoder.rest()])

    def decoder(self, *, special: bool = False, visible: Iterable[int] = (), after: Sequence[int] = ()) -> Decoder:
        """Return a decoder that takes tokens one by one.

        Args:
            special: whether control tokens are written by their names.
            visible: tokens that are written by their names anyway.
            after: the tokens before the first one. At the start of a text, the decoder drops the space that
                ``encode`` adds.
        """
        at_start = self._add_space and not any(map(self.token_bytes, after))
        return Decoder(self, special=special, visible=visible, at_start=at_start)


class Decoder:
    """Detokenizes tokens one by one; made by ``Tokenizer.decoder``."""

    def __init__(self, tokenizer: Tokenizer, *, special: bool, visible: Iterable[int], at_start: bool) -> None:
        self._tokenizer, self._special, self._at_start = tokenizer, special, at_start
        self._visible = frozenset(visible)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: int) -> str:
        """Return the characters that the token completes."""
        content = self._tokenizer.token_bytes(token, special=self._special or token in self._visible)
        if self._at_start and content:
            content = content.removeprefix(b" ")
            self._at_start = False
        return self._decoder.decode(content)

    def rest(self) -> str:
        """Return U+FFFD if the last character is incomplete: for the end of the stream."""
        return self._decoder.decode(b"", final=True)
