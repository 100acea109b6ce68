# SPDX-License-Identifier: MIT
"""``BaseLlama``: a model that takes llama-cpp-python's arguments, with its tokens and embeddings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pyhexagon.compat.arguments import CONSTRUCTOR, CONSTRUCTOR_REFUSED, Arguments
from pyhexagon.compat.types import LlamaPromptLookupDecoding
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import LLM
from pyhexagon.llm.chat import openai_format
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.encoder import pooled
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS
from pyhexagon.models.hub import download

if TYPE_CHECKING:
    from typing_extensions import Self

# By ggml's numbers of the types that the KV cache may have.
_CACHE_TYPES: Final[Mapping[int | None, str | None]] = MappingProxyType({None: None, 1: "f16", 2: "q4_0", 8: "q8_0"})
_RANDOM_SEEDS: Final = (-1, 0xFFFFFFFF)


class BaseLlama:
    """A language model.

    Args:
        model_path: path of a GGUF file.
        n_ctx: context length in tokens; 0: the model's.
        n_batch: most tokens of prompts in a message to the DSP; more than 64 are 64.
        seed: default seed of completions and of ``sample``; None or -1: a random one.
        type_k, type_v: type of keys and values in the KV cache, as ggml's number: F16 1, Q4_0 2, Q8_0 8; both the same.
        draft_model: proposes draft tokens for speculative decoding, which does not change completions.
        device: name of the device, as for ``pyhexagon.LLM``.
        rope_freq_base, rope_freq_scale: 0, or the value in the model's file.
        lora_path, lora_scale: path of a LoRA adapter, and the factor on its products.
        last_n_tokens_size: number of last tokens that penalties count; -1: all.
        **others: other arguments of llama-cpp-python. Arguments that choose how a CPU or a GPU computes have no effect;
            arguments that would change the model must have their neutral values.

    Raises:
        ArgumentError: another type of KV cache, or a value that is not supported; and as ``pyhexagon.LLM``.
    """

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        *,
        n_ctx: int = 512,
        n_batch: int = 512,
        seed: int | None = None,
        draft_model: LlamaPromptLookupDecoding | None = None,
        type_k: int | None = None,
        type_v: int | None = None,
        device: str | None = None,
        rope_freq_base: float = 0.0,
        rope_freq_scale: float = 0.0,
        lora_path: str | os.PathLike[str] | None = None,
        lora_scale: float = 1.0,
        last_n_tokens_size: int = 64,
        **others: Any,
    ) -> None:
        self._arguments = Arguments()
        self._arguments.check(others, CONSTRUCTOR, CONSTRUCTOR_REFUSED)
        self.last_n_tokens_size = last_n_tokens_size
        self.model_path = os.fspath(model_path)
        self.set_seed(seed)
        if type_k != type_v or type_k not in _CACHE_TYPES:
            raise ArgumentError(f"type_k is {type_k!r} and type_v {type_v!r}: expected both 1, 2 or 8, or none")
        self._llm = LLM(
            model_path, n_ctx or None, kv=_CACHE_TYPES[type_k], draft_model=draft_model, device=device,
            lora=() if lora_path is None else [(lora_path, lora_scale)], n_batch=min(n_batch, MAX_BATCH_TOKENS),
        )  # fmt: skip
        rope = self._llm._config.rope
        for name, value, known in (
            ("rope_freq_base", rope_freq_base, rope.freq_base),
            ("rope_freq_scale", rope_freq_scale, rope.freq_scale),
        ):
            if value not in (0, known):
                self._llm.close()
                raise ArgumentError(f"{name}={value!r} is not supported: the model's file says {known!r}; pass 0")
        self._draft: Record = {} if draft_model is None else {"num_draft_tokens": draft_model.num_pred_tokens}

    @classmethod
    def from_pretrained(cls, repo_id: str, filename: str, **more: Any) -> Self:
        """Return a model of the Hugging Face hub, which is downloaded.

        Args:
            repo_id: OWNER/NAME of the repository.
            filename: of the GGUF file in it; may be a pattern.
            **more: as for the constructor.
        """
        return cls(download(repo_id, filename), **more)

    def set_seed(self, seed: int | None) -> None:
        """Set the default seed, as the constructor's argument."""
        self._seed = seed
        self._random = np.random.default_rng(self._seed_or_default(None))

    def _seed_or_default(self, seed: int | None) -> int | None:
        """Return the seed of a call; None: a random one."""
        seed = self._seed if seed is None else seed
        return None if seed in _RANDOM_SEEDS else seed

    def _name(self, model: str | None) -> str:
        """Return the model's name in a response."""
        return self.model_path if model is None else model

    # --- Embeddings ---

    def embed(
        self,
        input: str | Sequence[str],
        normalize: bool | None = None,
        truncate: bool = True,
        return_count: bool = False,
    ) -> Any:
        """Return the embedding of a text as a list of floats, or a list of embeddings for several texts. Embeddings are
        normalized to length 1. If the model's file names no pooling, an embedding is a list of rows, one per token.

        Args:
            normalize: whether the rows of tokens are normalized to length 1.
            truncate: whether texts of more than n_ctx tokens are truncated.
            return_count: whether to return a pair: the embeddings, and the number of tokens of all texts.

        Raises:
            ArgumentError: normalize is False although the model has pooling, or a text is too long.
        """
        texts = [input] if isinstance(input, str) else input
        ids = [self._llm.tokenizer.encode(text) for text in texts]
        ids = [tokens[: self._llm.n_ctx] for tokens in ids] if truncate else ids
        if self._llm.has_pooling:
            if normalize is False:
                raise ArgumentError("embeddings have length 1 here: leave normalize=False out")
            made: list[Any] = self._llm.embed(ids).tolist()
        else:
            rows = [self._llm.token_rows(tokens) for tokens in ids]
            made = [(pooled(list(row[:, None]), "last", row.shape[1]) if normalize else row).tolist() for row in rows]
        result = made[0] if isinstance(input, str) else made
        return (result, sum(map(len, ids))) if return_count else result

    def create_embedding(self, input: str | Sequence[str], model: str | None = None) -> Record:
        """Return the embeddings of one or several texts as OpenAI's "list" of "embedding" objects.

        Args:
            model: name of the model in the response; None: its path.

        Raises:
            ArgumentError: as ``embed``.
        """
        embeddings, n_tokens = self.embed([input] if isinstance(input, str) else input, return_count=True)
        return openai_format.embedding_list(embeddings, self._name(model), n_tokens)

    # --- Tokens ---

    def tokenize(self, text: bytes, add_bos: bool = True, special: bool = False) -> list[int]:
        """Return the token ids of UTF-8 text, or of arbitrary bytes; see ``Tokenizer.encode_bytes``."""
        return self._llm.tokenizer.encode_bytes(text, add_special=add_bos, special=special)

    def detokenize(
        self, tokens: Sequence[int], prev_tokens: Sequence[int] | None = None, special: bool = False
    ) -> bytes:
        """Return the bytes of tokens. The last ones may be an incomplete UTF-8 character.

        Args:
            prev_tokens: tokens before these; if there are none, the space that begins each text is removed.
            special: whether control tokens become their names, or nothing.
        """
        tokenizer = self._llm.tokenizer
        content = b"".join(tokenizer.token_bytes(token, special=special) for token in tokens)
        return content if prev_tokens or not tokenizer.adds_space else content.removeprefix(b" ")

    def n_ctx(self) -> int:
        """Return the context length in tokens."""
        return self._llm.n_ctx

    def n_vocab(self) -> int:
        """Return the size of the vocabulary."""
        return self._llm.tokenizer.n_tokens

    def token_bos(self) -> int:
        """Return the id of the beginning-of-sequence token; -1 if the vocabulary has none."""
        return -1 if self._llm.tokenizer.bos is None else self._llm.tokenizer.bos

    def token_eos(self) -> int:
        """Return the id of the end-of-sequence token; -1 if the vocabulary has none."""
        return -1 if self._llm.tokenizer.eos is None else self._llm.tokenizer.eos

    # --- Closing ---

    def close(self) -> None:
        """Free the memory of the model."""
        self._llm.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._llm.__exit__(kind, error, at)
