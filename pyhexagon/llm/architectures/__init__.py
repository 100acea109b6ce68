# SPDX-License-Identifier: MIT
"""The supported architectures: one file each, with its tensors and the graph of a layer."""

from __future__ import annotations

from typing import Final

from pyhexagon.llm.architectures.apertus import APERTUS
from pyhexagon.llm.architectures.arcee import ARCEE, NEMOTRON
from pyhexagon.llm.architectures.bailingmoe2 import BAILINGMOE2
from pyhexagon.llm.architectures.bert import BERT, NOMIC_BERT
from pyhexagon.llm.architectures.bitnet import BITNET
from pyhexagon.llm.architectures.cohere import COHERE2, COMMAND_R
from pyhexagon.llm.architectures.deepseek2 import DEEPSEEK2
from pyhexagon.llm.architectures.ernie4_5 import ERNIE4_5, ERNIE4_5_MOE
from pyhexagon.llm.architectures.eurobert import EUROBERT, LLAMA_EMBED
from pyhexagon.llm.architectures.exaone import EXAONE
from pyhexagon.llm.architectures.exaone4 import EXAONE4
from pyhexagon.llm.architectures.falcon_h1 import FALCON_H1
from pyhexagon.llm.architectures.gemma import GEMMA
from pyhexagon.llm.architectures.gemma2 import GEMMA2
from pyhexagon.llm.architectures.gemma3 import GEMMA3
from pyhexagon.llm.architectures.gemma3n import GEMMA3N
from pyhexagon.llm.architectures.gemma4 import GEMMA4
from pyhexagon.llm.architectures.gemma_embedding import GEMMA_EMBEDDING
from pyhexagon.llm.architectures.gemma_embedding2 import GEMMA_EMBEDDING2
from pyhexagon.llm.architectures.glm4 import GLM4
from pyhexagon.llm.architectures.glm4moe import GLM4MOE
from pyhexagon.llm.architectures.gpt_oss import GPT_OSS
from pyhexagon.llm.architectures.granite import GRANITE, GRANITEHYBRID, GRANITEMOE
from pyhexagon.llm.architectures.granite_swa import GRANITE_SWA
from pyhexagon.llm.architectures.hunyuan_dense import HUNYUAN_DENSE, MAINCODER
from pyhexagon.llm.architectures.jina_bert_v2 import JINA_BERT_V2
from pyhexagon.llm.architectures.jina_bert_v3 import JINA_BERT_V3, NOMIC_BERT_MOE
from pyhexagon.llm.architectures.k2_horizon import K2_HORIZON
from pyhexagon.llm.architectures.lfm2 import LFM2, LFM2MOE
from pyhexagon.llm.architectures.llama import LLAMA
from pyhexagon.llm.architectures.minicpm import MINICPM
from pyhexagon.llm.architectures.minicpm3 import MINICPM3
from pyhexagon.llm.architectures.mistral3 import MISTRAL3
from pyhexagon.llm.architectures.modern_bert import MODERN_BERT
from pyhexagon.llm.architectures.nanbeige import NANBEIGE
from pyhexagon.llm.architectures.nemotron_h import NEMOTRON_H
from pyhexagon.llm.architectures.neo_bert import NEO_BERT
from pyhexagon.llm.architectures.olmo2 import OLMO2
from pyhexagon.llm.architectures.olmoe import OLMOE
from pyhexagon.llm.architectures.phi2 import PHI2
from pyhexagon.llm.architectures.phi3 import PHI3
from pyhexagon.llm.architectures.phimoe import PHIMOE
from pyhexagon.llm.architectures.qwen import QWEN2, QWEN3
from pyhexagon.llm.architectures.qwen3moe import QWEN3MOE
from pyhexagon.llm.architectures.qwen3next import QWEN3NEXT
from pyhexagon.llm.architectures.qwen35 import QWEN35, QWEN35MOE
from pyhexagon.llm.architectures.qwen_vl import QWEN2VL, QWEN3VL, QWEN3VLMOE
from pyhexagon.llm.architectures.seed_oss import SEED_OSS
from pyhexagon.llm.architectures.smallthinker import SMALLTHINKER
from pyhexagon.llm.architectures.smollm3 import SMOLLM3
from pyhexagon.llm.architectures.spark2_5 import SPARK2_5
from pyhexagon.llm.architectures.stablelm import STABLELM
from pyhexagon.llm.architectures.starcoder2 import STARCODER2
from pyhexagon.llm.graph.layer import Architecture

ARCHITECTURES: Final[dict[str, Architecture]] = {
    "apertus": APERTUS,
    "arcee": ARCEE,
    "bailingmoe2": BAILINGMOE2,
    "bert": BERT,
    "bitnet": BITNET,
    "cohere2": COHERE2,
    "command-r": COMMAND_R,
    "deepseek2": DEEPSEEK2,
    "ernie4_5": ERNIE4_5,
    "ernie4_5-moe": ERNIE4_5_MOE,
    "eurobert": EUROBERT,
    "exaone": EXAONE,
    "exaone4": EXAONE4,
    "falcon-h1": FALCON_H1,
    "gemma": GEMMA,
    "gemma-embedding": GEMMA_EMBEDDING,
    "gemma-embedding2": GEMMA_EMBEDDING2,
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "gemma3n": GEMMA3N,
    "gemma4": GEMMA4,
    "glm4": GLM4,
    "glm4moe": GLM4MOE,
    "gpt-oss": GPT_OSS,
    "granite": GRANITE,
    "granite_swa": GRANITE_SWA,
    "granitehybrid": GRANITEHYBRID,
    "granitemoe": GRANITEMOE,
    "hunyuan-dense": HUNYUAN_DENSE,
    "internlm2": LLAMA,
    "jina-bert-v2": JINA_BERT_V2,
    "jina-bert-v3": JINA_BERT_V3,
    "k2-horizon": K2_HORIZON,
    "lfm2": LFM2,
    "lfm2moe": LFM2MOE,
    "llama": LLAMA,
    "llama-embed": LLAMA_EMBED,
    "maincoder": MAINCODER,
    "minicpm": MINICPM,
    "minicpm3": MINICPM3,
    "mistral3": MISTRAL3,
    "modern-bert": MODERN_BERT,
    "nanbeige": NANBEIGE,
    "nemotron": NEMOTRON,
    "nemotron_h": NEMOTRON_H,
    "neo-bert": NEO_BERT,
    "nomic-bert": NOMIC_BERT,
    "nomic-bert-moe": NOMIC_BERT_MOE,
    "olmo2": OLMO2,
    "olmoe": OLMOE,
    "paddleocr": QWEN2VL,
    "phi2": PHI2,
    "phi3": PHI3,
    "phimoe": PHIMOE,
    "qwen2": QWEN2,
    "qwen2vl": QWEN2VL,
    "qwen3": QWEN3,
    "qwen35": QWEN35,
    "qwen35moe": QWEN35MOE,
    "qwen3moe": QWEN3MOE,
    "qwen3next": QWEN3NEXT,
    "qwen3vl": QWEN3VL,
    "qwen3vlmoe": QWEN3VLMOE,
    "seed_oss": SEED_OSS,
    "smallthinker": SMALLTHINKER,
    "smollm3": SMOLLM3,
    "spark2_5": SPARK2_5,
    "stablelm": STABLELM,
    "starcoder2": STARCODER2,
}
