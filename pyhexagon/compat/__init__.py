# SPDX-License-Identifier: MIT
"""llama-cpp-python's API on the DSP, for programs that were written for that package.

    from pyhexagon.compat import Llama

    llama = Llama("model.gguf", n_ctx=2048)
    llama("Once upon a time", max_tokens=32)["choices"][0]["text"]

Libraries that import ``llama_cpp`` themselves, such as langchain_community, receive this package after

    import sys, pyhexagon.compat
    sys.modules["llama_cpp"] = pyhexagon.compat

Responses have OpenAI's format. The logger ``pyhexagon.compat`` names arguments that have no effect on a DSP. Arguments
that would change results and are not supported raise ``ArgumentError``.

llama.py has the completions of ``Llama``, evaluation.py its calls for single tokens, base.py the model with tokens and
embeddings; arguments.py checks arguments, processors.py adapts logits processors, logprobs.py builds the logprobs of
text completions, types.py has the other classes.
"""

from typing import TYPE_CHECKING

from pyhexagon import lazy

if TYPE_CHECKING:
    from pyhexagon.compat.llama import Llama
    from pyhexagon.compat.types import LlamaGrammar, LlamaPromptLookupDecoding, LlamaState

__all__ = ["Llama", "LlamaGrammar", "LlamaPromptLookupDecoding", "LlamaState"]

__getattr__ = lazy.attributes(__name__, {
    "llama": ("Llama",),
    "types": ("LlamaGrammar", "LlamaPromptLookupDecoding", "LlamaState"),
})  # fmt: skip


def __dir__() -> list[str]:
    return __all__
