# SPDX-License-Identifier: MIT
"""Pretokenizers: the regular expressions that split a text into words before BPE, by ``tokenizer.ggml.pre``."""

from __future__ import annotations

from typing import Final, NamedTuple


class Words(NamedTuple):
    """A pretokenizer, and defaults for keys that a file omits.

    Attributes:
        patterns: each one splits the words of the previous one into its matches and the text between them.
        ignore_merges: whether a word that is a token skips the merges.
        add_bos: default of ``tokenizer.ggml.add_bos_token``.
        bos: default id of BOS.
    """

    patterns: tuple[str, ...]
    ignore_merges: bool = False
    add_bos: bool = False
    bos: int | None = 11


_CONTRACTIONS: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_REST: Final = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_CAPITALS: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SMALL: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_LEAD: Final = r"[^\r\n\p{L}\p{N}]?"

_GPT2: Final = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_LLAMA3: Final = rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_QWEN2: Final = rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_QWEN35: Final = rf"{_CONTRACTIONS}|{_LEAD}[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_REST}"
_SEED_CODER: Final = rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+|{_REST}"
_GPT4O: Final = (
    rf"{_LEAD}{_CAPITALS}*{_SMALL}+{_CONTRACTIONS}?|{_LEAD}{_CAPITALS}+{_SMALL}*{_CONTRACTIONS}?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"
)
_TINY_AYA: Final = (r"\d{1,3}(?=(?:\d{3})*\b)", _GPT4O)
_TEKKEN: Final = (
    rf"{_LEAD}{_CAPITALS}*{_SMALL}+|{_LEAD}{_CAPITALS}+{_SMALL}*|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"
)
_DEEPSEEK_V3: Final = (
    r"\p{N}{1,3}",
    r"[\u4e00-\u9fa5\u3040-\u30ff]+",
    r"[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|" + _REST,
)
_SPARK: Final = (
    *_DEEPSEEK_V3[:2],
    r"[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+",
    r"\p{N}",
)
_HAN_AND_HANGUL: Final = r"[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"  # and U+0800 to U+4E00, as the original
_CASED: Final = (  # letters with upper and lower case in Unicode 11, without Georgian
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376"
    "\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556"
    "\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15"
    "\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe"
    "\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113"
    "\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184"
    "\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e"
    "\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3"
    "\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
)
_DEEPSEEK_LLM: Final = (
    r"[\r\n]", rf"\s?[{_CASED}]+", r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", r"\s+\z",
    _HAN_AND_HANGUL, r"\p{N}+",
)  # fmt: skip
_DEEPSEEK_CODER: Final = (r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _HAN_AND_HANGUL, r"\p{N}")
_FALCON: Final = (r"[\p{P}$+<=>^~|`]+", _GPT2, "[0-9]{3}")
_MINICPM5: Final = (
    r"\p{N}{1,3}",
    rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}",
)
_K2_HORIZON: Final = (
    rf"{_CONTRACTIONS}|{_LEAD}[\p{{L}}\p{{M}}\u200c\u200d]+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
)
_EXAONE_MOE: Final = (
    rf"{_CONTRACTIONS}|{_LEAD}(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]?"
    r"|\s*[\r\n]|\s+(?!\S)|\s+"
)
_SPACES: Final = "|".join(rf"\s{{{n}}}(?!\S)" for n in (512, 256, 128, 64, 32, 16, 8, 4))
_JAIS2: Final = (
    rf"{_CONTRACTIONS}|{_LEAD}\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+"
    rf"|{_SPACES}|\s{{1,2}}(?!\S)|\s{{1}}"
)
_BLOOM: Final = r" ?[^(\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"
_DEFAULT: Final = (r"[\p{P}$+<=>^~|]+", _GPT2, r"\p{N}+", "[0-9]{3}")

# Of vocabularies whose tokens are characters, with U+2581 for spaces: Gemma 4's, and these of the kind gpt2.
LINES: Final = r"\n+"
CHARACTERS: Final = {"granite-embed-multi-311m": LINES, "mmbert": r"\n+|\u2581[^\u2581\n]*"}
WORDS: Final[dict[str, Words]] = {
    "default": Words(_DEFAULT),
    **dict.fromkeys(
        (
            *("gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4", "modern-bert"),
            *("mellum", "gigachat", "a.x-4.0", "roberta-bpe", "jina-v1-en", "jina-v2-code"),
            *("jina-es", "jina-de", "jina-v2-es", "jina-v2-de"),
        ),
        Words((_GPT2,)),
    ),
    **dict.fromkeys(
        ("smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2"),
        Words((r"\p{N}", _GPT2)),
    ),
    **dict.fromkeys(
        ("llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral", "lfm2", "midm-2.0", "jina-v5-nano"),
        Words((_LLAMA3,), ignore_merges=True, add_bos=True),
    ),
    **dict.fromkeys(("smaug-bpe", "dbrx"), Words((_LLAMA3,))),
    "chatglm-bpe": Words((_LLAMA3,), bos=None),
    **dict.fromkeys(("glm4", "glm5"), Words((_LLAMA3,), ignore_merges=True, bos=None)),
    "minicpm5": Words(_MINICPM5, ignore_merges=True),
    "falcon": Words(_FALCON),
    **dict.fromkeys(
        (
            *("qwen2", "deepseek-r1-qwen", "stablelm2", "hunyuan", "megrez", "solar-open", "grok-2", "kormo"),
            *("f2llmv2", "bailingmoe", "bailingmoe2", "llada-moe", "ufakzeka"),
        ),
        Words((_QWEN2,)),
    ),
    "qwen35": Words((_QWEN35,)),
    "seed-coder": Words((_SEED_CODER,)),
    **dict.fromkeys(("gpt-4o", "llama4", "minimax-m2", "kanana2", "talkie"), Words((_GPT4O,))),
    "granite-embed-multi-97m": Words((_GPT4O,), ignore_merges=True),
    **dict.fromkeys(("tiny_aya", "cohere2moe"), Words(_TINY_AYA)),
    "k2-horizon": Words((_K2_HORIZON,)),
    "exaone-moe": Words((_EXAONE_MOE,)),
    "jais-2": Words((_JAIS2,)),
    **dict.fromkeys(("poro-chat", "bloom", "gpt3-finnish"), Words((_BLOOM,))),
    "viking": Words((_BLOOM, r"\p{N}")),
    "laguna": Words((r"[^\n]+|[\n]+", _QWEN2)),
    "tekken": Words((_TEKKEN,), ignore_merges=True, add_bos=True),
    "deepseek-llm": Words(_DEEPSEEK_LLM),
    "deepseek-coder": Words(_DEEPSEEK_CODER),
    **dict.fromkeys(("deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"), Words(_DEEPSEEK_V3)),
    "spark2_5": Words(_SPARK),
}
