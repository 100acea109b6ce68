# SPDX-License-Identifier: MIT
"""Prompts that ask a model for the text between a prefix and a suffix, by its fill-in-the-middle tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyhexagon.serve.http.errors import wrong
from pyhexagon.serve.models.pooled_model import Prompts

_LEAST_ANSWER = 128  # tokens of the context that are kept free for a completion without a limit


def infill_ids(
    words: Prompts,
    prefix: Sequence[int],
    suffix: str,
    n_predict: int,
    *,
    name: str = "suffix",
    prompt: str = "",
    files: Iterable[tuple[str, str]] = (),
) -> list[int]:
    """Return the token ids of a prompt: further files, prefix and suffix, between their special tokens.

    Texts that do not fit the context lose what is far from the gap: most of it from the suffix.

    Args:
        prefix: token ids, as ``plain_ids`` returns them.
        n_predict: most tokens of the completion; not positive: no limit.
        name: of the field with the suffix, for error messages.
        prompt: the beginning of the completion.
        files: names and texts.

    Raises:
        ServeError: a text is too long, or the model has no fill-in-the-middle tokens.
    """
    tokenizer = words.model.tokenizer
    fim = tokenizer.fill_in
    if not {"fim_pre", "fim_suf", "fim_mid"} <= fim.keys():
        raise wrong("the model has no fill-in-the-middle tokens", "model")
    after, begun = plain_ids(words, suffix, name), plain_ids(words, prompt, "prompt")
    extra: list[int] = []
    for filename, text in files:
        head = f"{filename}\n" if "fim_sep" in fim else f"\n\n--- {filename} ---\n\n"
        extra += [fim["fim_sep"]] if "fim_sep" in fim else []
        extra += plain_ids(words, head, "filename") + plain_ids(words, text, "text")
    start = [] if tokenizer.bos is None or not tokenizer.add_bos else [tokenizer.bos]
    n_answer = n_predict if n_predict > 0 else _LEAST_ANSWER
    n_free = words.model.n_ctx - min(n_answer, words.model.n_ctx // 2) - len(start) - len(begun) - 3
    after = after[: max(0, n_free // 4, n_free - len(prefix))]
    prefix = prefix[max(0, len(prefix) - max(0, n_free - len(after))) :]
    extra = extra[max(0, len(extra) - max(0, n_free - len(after) - len(prefix))) :]
    return [*start, *extra, fim["fim_pre"], *prefix, fim["fim_suf"], *after, fim["fim_mid"], *begun]


def plain_ids(words: Prompts, text: str, name: str) -> list[int]:
    """Return the token ids of a text in which names of special tokens are text."""
    return words.encode(text, name, special=False, add_special=False)
