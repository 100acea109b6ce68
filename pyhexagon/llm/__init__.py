# SPDX-License-Identifier: MIT
"""Language models: ``LLM`` completes prompts. It needs the packages of ``pyhexagon[llm]``.

Packages, from a model's file to a completion; each uses those before it:

    files: what a GGUF file says: hyper-parameters, tensors
    tokens: text to tokens and back
    graph, architectures: the graph of a model, of which each architecture is a file
    engine: requests, scheduler, KV cache, programs, sampling
    chat: chat templates, reasoning, tool calls, OpenAI's objects

And what users open:

    memory, partition: the memory that a model takes; which layers each of several devices has
    embedding_model, language_model, llm: ``LLM``, bottom up
    answering, determinism: many prompts from a file; the same completion under other conditions
"""

from typing import TYPE_CHECKING

from pyhexagon import lazy

if TYPE_CHECKING:
    from pyhexagon.llm.chat.templates import ChatTemplate
    from pyhexagon.llm.engine.generation import Generation, GenerationChunk
    from pyhexagon.llm.engine.sampling import biased, greedy, log_probabilities, penalised, sampler
    from pyhexagon.llm.engine.sampling_params import SamplingParams
    from pyhexagon.llm.engine.speculation import prompt_lookup
    from pyhexagon.llm.engine.streaming import Stream
    from pyhexagon.llm.llm import LLM
    from pyhexagon.llm.tokens.tokenizer import Tokenizer

__all__ = [
    "LLM", "ChatTemplate", "Generation", "GenerationChunk", "SamplingParams", "Stream", "Tokenizer", "biased", "greedy",
    "log_probabilities", "penalised", "prompt_lookup", "sampler",
]  # fmt: skip

__getattr__ = lazy.attributes(__name__, {
    "engine.generation": ("Generation", "GenerationChunk"),
    "llm": ("LLM",),
    "engine.sampling": ("biased", "greedy", "log_probabilities", "penalised", "sampler"),
    "engine.sampling_params": ("SamplingParams",),
    "engine.speculation": ("prompt_lookup",),
    "engine.streaming": ("Stream",),
    "chat.templates": ("ChatTemplate",),
    "tokens.tokenizer": ("Tokenizer",),
})  # fmt: skip


def __dir__() -> list[str]:
    return __all__
