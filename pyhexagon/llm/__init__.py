# SPDX-License-Identifier: MIT
"""Language models: ``LLM`` completes prompts. It needs the packages of ``pyhexagon[llm]``.

Files, from a model's file to a completion:

    config, hyper_parameters, weights, architectures/, step, mtp: reading a GGUF file, and the graph of a model
    layer_state, delta_net, short_conv: the state of a recurrent layer in a graph, and its update
    tokenizer, templates, reasoning, harmony, grammar: text to tokens and back
    stage, recurrent_state: a model's layers on a device, with KV cache, recurrent state and programs
    pipeline, local_pipeline, cutting: stages on several devices or machines, and which layers each of them has
    forward, sequence, prefix_index, kv_cache, scheduler, runner, drafting, engine_core, engine: the engine, bottom up
    sampling_params, sampling, stopping, speculation, decoding, request, generation: a request, and its chunks
    embedding_model, language_model, llm: what users open
    openai_format: responses in OpenAI's format, for ``pyhexagon.serve`` and ``pyhexagon.compat``
"""

from typing import TYPE_CHECKING

from pyhexagon import lazy

if TYPE_CHECKING:
    from pyhexagon.llm.generation import Generation, GenerationChunk, Stream
    from pyhexagon.llm.llm import LLM
    from pyhexagon.llm.sampling import biased, greedy, log_probabilities, penalised, sampler
    from pyhexagon.llm.sampling_params import SamplingParams
    from pyhexagon.llm.speculation import prompt_lookup
    from pyhexagon.llm.templates import ChatTemplate
    from pyhexagon.llm.tokenizer import Tokenizer

__all__ = [
    "LLM", "ChatTemplate", "Generation", "GenerationChunk", "SamplingParams", "Stream", "Tokenizer", "biased", "greedy",
    "log_probabilities", "penalised", "prompt_lookup", "sampler",
]  # fmt: skip

__getattr__ = lazy.attributes(__name__, {
    "generation": ("Generation", "GenerationChunk", "Stream"),
    "llm": ("LLM",),
    "sampling": ("biased", "greedy", "log_probabilities", "penalised", "sampler"),
    "sampling_params": ("SamplingParams",),
    "speculation": ("prompt_lookup",),
    "templates": ("ChatTemplate",),
    "tokenizer": ("Tokenizer",),
})  # fmt: skip


def __dir__() -> list[str]:
    return __all__
