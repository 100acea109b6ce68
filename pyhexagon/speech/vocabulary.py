# SPDX-License-Identifier: MIT
"""The tokens of a whisper model: text, and special tokens, whose numbers follow from the size of the vocabulary."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from pyhexagon import extras
from pyhexagon.llm.tokens.pretokenise import WORDS
from pyhexagon.llm.tokens.scored_bpe import ScoredBPE
from pyhexagon.llm.tokens.subwords import byte_letters
from pyhexagon.speech import languages
from pyhexagon.speech.ggml_file import WhisperFile

if TYPE_CHECKING:
    from tokenizers import pre_tokenizers

TIMESTAMP_SECONDS: Final = 0.02
_N_TIMESTAMPS: Final = 1501  # 0 to 30 s
_SYMBOLS: Final = (
    *'"#()*+/:;<=>@[\\]^_`{|}~「」『』',
    *("<<", ">>", "<<<", ">>>", "--", "---", "-(", "-[", "('", '("', "((", "))", "(((", ")))", "[[", "]]", "{{", "}}"),
    *("♪♪", "♪♪♪"),
)
_NOTES: Final = "♩♪♫♬♭♮♯"  # whose first token is suppressed if they have several
_REPLACEMENT: Final = "\ufffd"


class WhisperVocabulary:
    """The vocabulary of a model.

    Attributes:
        n_vocab: the number of tokens.
        is_multilingual: whether the model knows other languages than English.
        languages: the codes of the languages, in the order of their tokens.
        end: ends a transcription.
        start: begins one; the language and the task follow in multilingual models.
        translate, transcribe: the tasks.
        speaker_turn: of models that were trained for it.
        previous: begins the text before the window.
        no_speech: its probability after ``start`` is that of no speech.
        no_timestamps: asks for text without timestamps.
        timestamp: the first of 1,501 timestamps, of 0 to 30 s in steps of 20 ms.
    """

    def __init__(self, file: WhisperFile) -> None:
        of = file.hyper_parameters
        self.n_vocab, self.is_multilingual = of.n_vocab, of.is_multilingual
        self._texts = file.tokens[: of.n_texts]
        self.timestamp = of.n_vocab - _N_TIMESTAMPS
        self.no_timestamps = self.timestamp - 1
        self.no_speech = self.timestamp - 2
        self.previous = self.timestamp - 3
        self.speaker_turn = self.timestamp - 4
        self.transcribe = self.timestamp - 5
        self.translate = self.timestamp - 6
        self.end, self.start = of.n_texts, of.n_texts + 1
        self.languages = languages.CODES[: self.translate - self.start - 1] if self.is_multilingual else ("en",)

    def language(self, code: str) -> int:
        """Return the token of a language; raises ArgumentError if the model does not know it."""
        return self.start + 1 + self.languages.index(languages.code_of(code, self.languages))

    def start_sequence(self, language: str, task: str, *, without_timestamps: bool) -> list[int]:
        """Return the tokens that begin a transcription."""
        sequence = [self.start]
        if self.is_multilingual:
            sequence += [self.language(language), self.translate if task == "translate" else self.transcribe]
        return sequence + ([self.no_timestamps] if without_timestamps else [])

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens; special ones have none, and incomplete characters become U+FFFD."""
        return self.bytes_of(tokens).decode(errors="replace")

    def bytes_of(self, tokens: Iterable[int]) -> bytes:
        """Return the bytes of the text of tokens."""
        return b"".join(self._texts[token] for token in tokens if token < self.end)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, as OpenAI's tokenizer does.

        Raises:
            UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
        """
        return [token for word, _ in self._splitter.pre_tokenize_str(text) for token in self._encode_word(word)]

    @cached_property
    def non_speech(self) -> tuple[int, ...]:
        """The tokens of symbols that are not spoken, such as brackets around annotations and musical notes."""
        found = {self._encode_word(text)[0] for text in (" -", " '")}
        for symbol in (*_SYMBOLS, *_NOTES):
            for tokens in (self._encode_word(symbol), self._encode_word(f" {symbol}")):
                if len(tokens) == 1 or symbol in _NOTES:
                    found.add(tokens[0])
        return tuple(sorted(found))

    @cached_property
    def blank(self) -> int:
        """The token of a space."""
        return self._texts.index(b" ")

    def _encode_word(self, word: str) -> list[int]:
        return self._bpe.encode("".join(self._letters[byte] for byte in word.encode(errors="replace")))

    @cached_property
    def _splitter(self) -> pre_tokenizers.PreTokenizer:
        with extras.needed("prompts for speech recognition", "llm"):
            from tokenizers import Regex, pre_tokenizers
        return pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in WORDS["gpt-2"].patterns
        ])  # fmt: skip

    @cached_property
    def _letters(self) -> dict[int, str]:
        return byte_letters()

    @cached_property
    def _bpe(self) -> ScoredBPE:
        """BPE. Tokens are numbered in the order in which their merges were found, so a number is a rank."""
        texts = ["".join(self._letters[byte] for byte in text) for text in self._texts]
        ids = {text: number for number, text in enumerate(texts) if text}
        return ScoredBPE(texts, ids, -np.arange(len(texts)), np.array([not text for text in texts]))

    def words(self, tokens: Sequence[int], language: str) -> list[list[int]]:
        """Return tokens grouped by words; in languages without spaces, by whole characters."""
        groups = self._characters(tokens)
        if language in languages.WITHOUT_SPACES:
            return groups
        words: list[list[int]] = []
        for group in groups:
            text = self.decode(group)
            begins = group[0] >= self.end or text.startswith(" ") or text.strip() in string.punctuation
            if begins or not words:
                words.append(group)
            else:
                words[-1] += group
        return words

    def _characters(self, tokens: Sequence[int]) -> list[list[int]]:
        """Return tokens grouped so that each group ends at the end of a character."""
        whole, groups, group, n_done = self.decode(tokens), list[list[int]](), list[int](), 0
        for token in tokens:
            group.append(token)
            text = self.decode(group)
            at = text.find(_REPLACEMENT)
            if at < 0 or whole[n_done + at : n_done + at + 1] == _REPLACEMENT:
                groups.append(group)
                n_done += len(text)
                group = []
        return groups + ([group] if group else [])
