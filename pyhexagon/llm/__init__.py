# SPDX-License-Identifier: MIT
"""Language models: ``LLM`` continues texts. It needs the packages of ``pyhexagon[llm]``.

config.py and weights.py read a GGUF file and refuse what cannot be run. architectures/ has a graph a file, written with
the parts in step.py. model.py has the weights on a device, and contexts: a cache, and the programs that fill it.
tokenizer.py, templates.py, sampling.py and stopping.py are between texts and tokens. generation.py and
speculation.py make texts go on, several tokens in a message where they can be guessed. llm.py puts them together.
"""

from pyhexagon.llm.generation import Generation, Part
from pyhexagon.llm.llm import LLM
from pyhexagon.llm.sampling import biased, greedy, log_probabilities, penalised, sampler
from pyhexagon.llm.speculation import prompt_lookup
from pyhexagon.llm.templates import ChatTemplate
from pyhexagon.llm.tokenizer import Tokenizer

__all__ = [
    "LLM", "ChatTemplate", "Generation", "Part", "Tokenizer", "biased", "greedy", "log_probabilities", "penalised",
    "prompt_lookup", "sampler",
]  # fmt: skip
