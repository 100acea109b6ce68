# SPDX-License-Identifier: MIT
"""The "logprobs" object of text completions as llama-cpp-python builds it.

It differs from the server's, which follows OpenAI: offsets begin after the prompt, and the top log-probabilities always
contain the generated token.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.tokens.tokenizer import Tokenizer


class CompletionLogprobs:
    """Builds the "logprobs" objects of the successive chunks of one completion.

    Args:
        prompt: its tokens.
        offset: length of the prompt in characters.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int], offset: int) -> None:
        self._tokenizer, self._offset = tokenizer, offset
        self._decoder = tokenizer.decoder(after=prompt)

    def record(self, chunks: Sequence[GenerationChunk]) -> Record:
        """Return the "logprobs" object of the next chunks."""
        made: Record = {"tokens": [], "text_offset": [], "token_logprobs": [], "top_logprobs": []}
        for chunk in chunks:
            name = self._name(chunk.token)
            made["tokens"].append(name)
            made["text_offset"].append(self._offset)
            made["token_logprobs"].append(chunk.logprob)
            top = {self._name(token): logprob for token, logprob in chunk.top_logprobs}
            made["top_logprobs"].append(top | {name: chunk.logprob})
            self._offset += len(self._decoder.add(chunk.token))
        return made

    def _name(self, token: int) -> str:
        return self._tokenizer.decode([token], special=True)
