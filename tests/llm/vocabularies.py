# SPDX-License-Identifier: MIT
"""Small vocabularies of every kind, and the ids that real llama.cpp gives for difficult strings.

    pip install xllamacpp sentencepiece; PYTHONPATH=tests python -m llm.vocabularies

records the data of tests/llm/test_vocabularies.py in recorded/vocabularies.json: for each pre-tokenizer of BPE, and for
settings of WordPiece and of unigram vocabularies, a digest of the ids of each text.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from llm import llama_cpp
from llm.published import byte_letters
from pyhexagon.llm.tokens.pretokenise import CHARACTERS, WORDS

RECORDED = Path(__file__).with_name("recorded") / "vocabularies.json"
TEXTS = [
    *json.loads(llama_cpp.HARD_STRINGS.read_text(encoding="utf-8")),
    "x=(a+b)*c[1]; // don't\n\treturn 'we'LL' +12345.678e-9\r\n",
    "\u0301a\u0301b\u0301 e\u0301t\u00e9 \u0928\u092e\u0938\u094d\u0924\u0947 "
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0e2a\u0e27\u0e31",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3001123\u5e74\u3002 \u4e2d\u6587 "
    "\ud55c\uad6d\uc5b4 \ud14d\uc2a4\ud2b8 \u3042a",
    "\u0410\u0411\u0412 \u0430\u0431\u0432 \u0391\u0392\u0393 \u03b1\u03b2 \u10d0\u10d1 "
    "\u05d0\u05d1 \u0627\u0644 \uff21\uff22\uff41 \u00b5\u00aa",
    "!? #tag @name $5 +1 <=> ^~|` a+b=c \u00a35 \u20ac7 \u201chi\u201d \u2014 \u2026 \uff01\uff1f\u3002",
    "ABC abcDEF GHi jKL McDonald's IT'S O'Neil 'S 'RE a/b/c /\n//\r\n",
    "1 22 333 4444 55555 \u0661\u0662\u0663\u0664 \u00bd\u2162 x1y22z333",
    "end  \n\n  start \t \u00a0 wide   \r\r\n  ",
    "\U0001f600\U0001f1e6\U0001f1fa \U0001f468\u200d\U0001f469 a\u200bb \ufeffc \u00adx",
]  # fmt: skip


def digests(ids: Sequence[Sequence[int]]) -> str:
    """Return eight hexadecimal digits per text."""
    return "".join(hashlib.sha256(json.dumps(list(one)).encode()).hexdigest()[:8] for one in ids)


def write(path: Path, vocabulary: Callable[[gguf.GGUFWriter], int]) -> Path:
    """Write a model of architecture llama, as small as possible, because only its vocabulary matters.

    Args:
        vocabulary: adds its keys and returns the number of tokens.
    """
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(1)
    writer.add_layer_norm_rms_eps(1e-6)
    n_tokens = vocabulary(writer)
    shapes = {"token_embd": (n_tokens, 32), "output_norm": (32,), "blk.0.attn_norm": (32,), "blk.0.ffn_norm": (32,)}
    shapes |= {f"blk.0.{name}": (32, 32) for name in ("attn_q", "attn_k", "attn_v", "attn_output")}
    shapes |= {f"blk.0.{name}": (32, 32) for name in ("ffn_gate", "ffn_up", "ffn_down")}
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", np.ones(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def of_bytes(pre: str, merges: Sequence[str]) -> Callable[[gguf.GGUFWriter], int]:
    """Return a function that adds BPE over bytes with these merges and this pre-tokenizer to a file."""

    def add(writer: gguf.GGUFWriter) -> int:
        tokens = list(dict.fromkeys([*byte_letters(), *(merge.replace(" ", "") for merge in merges)]))
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(tokens)
        writer.add_token_merges(merges)
        writer.add_token_types([gguf.TokenType.NORMAL] * len(tokens))
        writer.add_add_bos_token(False)
        return len(tokens)

    return add


def of_characters(merges: Sequence[str], pre: str = "") -> Callable[[gguf.GGUFWriter], int]:
    """Return a function that adds BPE over characters to a file, with those of these merges of bytes that are of ASCII;
    other characters become the tokens of their bytes.

    Args:
        pre: the pre-tokenizer; empty: as Gemma 4 has it.
    """

    def add(writer: gguf.GGUFWriter) -> int:
        plain = [one.replace("\u0120", "\u2581") for one in merges]
        plain = [one for one in plain if one.replace("\u2581", "").isascii() and "<" not in one]
        letters = [*map(chr, range(33, 127)), "\n", "\u2581", "\u00e9", "\u65e5"]
        pieces = dict.fromkeys([*letters, *(one.replace(" ", "") for one in plain)])
        bytes_of = [f"<0x{byte:02X}>" for byte in range(256)]
        special = ["<pad>", "<eos>", "<bos>", "<unk>"]
        writer.add_tokenizer_model("gpt2" if pre else "gemma4")
        if pre:
            writer.add_tokenizer_pre(pre)
        writer.add_token_list([*special, *bytes_of, *pieces])
        writer.add_token_scores([0.0] * (260 + len(pieces)))
        writer.add_token_merges(plain)
        kinds = [gguf.TokenType.CONTROL] * 3 + [gguf.TokenType.UNKNOWN] + [gguf.TokenType.BYTE] * 256
        writer.add_token_types([*kinds, *[gguf.TokenType.NORMAL] * len(pieces)])
        for number, key in enumerate(("padding", "eos", "bos", "unknown")):
            writer.add_uint32(f"tokenizer.ggml.{key}_token_id", number)
        writer.add_add_space_prefix(True)  # which has no effect
        writer.add_add_bos_token(False)  # neither
        return 260 + len(pieces)

    return add


UNIGRAM = {
    "like XLM-R": {"remove_extra_whitespaces": True, "add_space_prefix": True},
    "like T5": {"remove_extra_whitespaces": False, "add_space_prefix": True},
    "no prefix": {"remove_extra_whitespaces": False, "add_space_prefix": False},
    "no prefix, spaces merged": {"remove_extra_whitespaces": True, "add_space_prefix": False},
    "no map": {"remove_extra_whitespaces": True, "add_space_prefix": True},
}


def unigram(name: str, recorded: dict[str, Any]) -> Callable[[gguf.GGUFWriter], int]:
    """Return a function that adds a unigram vocabulary with the settings of this name to a file."""

    def add(writer: gguf.GGUFWriter) -> int:
        tokens, scores = zip(*recorded["unigram"], strict=True)
        special = {"<s>": gguf.TokenType.CONTROL, "</s>": gguf.TokenType.CONTROL, "<unk>": gguf.TokenType.UNKNOWN}
        writer.add_tokenizer_model("t5")
        writer.add_tokenizer_pre("default")
        writer.add_token_list(tokens)
        writer.add_token_scores(scores)
        writer.add_token_types([special.get(token, gguf.TokenType.NORMAL) for token in tokens])
        for key, value in UNIGRAM[name].items():
            writer.add_bool(f"tokenizer.ggml.{key}", value)
        if name != "no map":
            writer.add_precompiled_charsmap(base64.b64decode(recorded["charsmap"]))
        for key in ("bos", "eos", "unknown"):
            writer.add_uint32(f"tokenizer.ggml.{key}_token_id", ("bos", "padding", "eos", "unknown").index(key))
        writer.add_add_bos_token(True)
        writer.add_add_eos_token(True)
        return len(tokens)

    return add


WORD_PIECES: dict[str, dict[str, bool]] = {
    "defaults": {},
    "cased": {"lowercase": False},
    "cased, no accents": {"lowercase": False, "strip_accents": True},
    "accents": {"strip_accents": False},
}


def word_pieces(name: str) -> Callable[[gguf.GGUFWriter], int]:
    """Return a function that adds WordPiece to a file: the texts' characters, with and without accents; settings by
    name.
    """

    def add(writer: gguf.GGUFWriter) -> int:
        given = set("".join(TEXTS).replace("\u2581", ""))
        given |= {one for form in ("NFD", "NFC") for text in TEXTS for one in unicodedata.normalize(form, text)}
        given |= {other for one in given for other in (one.lower(), one.upper()) if len(other) == 1}
        letters = sorted(one for one in given if one.isprintable() and not one.isspace() and one != "\u2581")
        tokens = ["[PAD]", *(f"[unused{number}]" for number in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        tokens += [form for one in letters for form in (f"\u2581{one}", one)]
        writer.add_tokenizer_model("bert")
        writer.add_token_list(tokens)
        writer.add_token_types([3 if token.startswith("[") and len(token) > 3 else 1 for token in tokens])
        writer.add_token_type_count(2)
        for key, value in WORD_PIECES[name].items():
            writer.add_bool(f"tokenizer.ggml.normalizer.{key}", value)
        for key, number in (("unknown", 100), ("cls", 101), ("bos", 101), ("seperator", 102), ("padding", 0)):
            writer.add_uint32(f"tokenizer.ggml.{key}_token_id", number)
        return len(tokens)

    return add


def _ids(vocabulary: Callable[[gguf.GGUFWriter], int]) -> str:
    """Return llama.cpp's ids. A process of its own computes them, because the server's threads do not end by
    themselves.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "v.gguf", vocabulary)
        command = [sys.executable, "-m", "llm.vocabularies", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if "ANSWER " not in done.stdout:
        raise RuntimeError(done.stderr[-2000:])
    return done.stdout.rsplit("ANSWER ", 1)[1].strip()


def _trained() -> list[str]:
    """Return merges that are learnt from the texts without regard to words."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    model = Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    trainer = trainers.BpeTrainer(vocab_size=1800, initial_alphabet=byte_letters(), show_progress=False)
    model.train_from_iterator(TEXTS * 2, trainer)
    return [" ".join(one) for one in json.loads(model.to_str())["model"]["merges"]]


def compositions() -> dict[str, str]:
    """Return what a map composes: Hangul syllables of two first letters and kana with marks, from all texts that mean
    the same. Sources of equal length end in the same bytes.
    """
    pairs = dict[str, str]()
    for first in "\u1100\u3131\uffa1", "\u110b\u3147\uffb7":
        for middle, last in itertools.product(range(21), range(28)):
            syllable = chr(0xAC00 + (ord(first[0]) - 0x1100) * 588 + middle * 28 + last)
            end = "" if not last else chr(0x11A7 + last)
            sources = [letter + chr(0x1161 + middle) + end for letter in first]
            sources += [chr(ord(syllable) - last) + end] if end else []
            pairs |= dict.fromkeys(sources, syllable)
    for narrow in map(chr, range(0xFF66, 0xFF9E)):
        pairs[narrow] = wide = unicodedata.normalize("NFKC", narrow)
        for marks in "\uff9e\u3099", "\uff9f\u309a":
            if len(marked := unicodedata.normalize("NFC", wide + marks[1])) == 1:
                pairs |= {letter + mark: marked for letter in (narrow, wide) for mark in marks}
    return pairs


def sentencepiece_package() -> tuple[Any, Any]:
    """Return the package and the classes of its files."""
    return importlib.import_module("sentencepiece"), importlib.import_module("sentencepiece.sentencepiece_model_pb2")


def composing_map(pairs: dict[str, str]) -> bytes:
    """Return SentencePiece's map of these pairs."""
    sentencepiece, proto = sentencepiece_package()
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        lines = ("\t".join(" ".join(f"{ord(one):X}" for one in text) for text in pair) for pair in pairs.items())
        rules.write_text("\n".join(lines) + "\n")
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS), model_writer=model, vocab_size=420, hard_vocab_limit=False,
            character_coverage=0.98, normalization_rule_tsv=str(rules),
        )  # fmt: skip
    return bytes(proto.ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap)


def _unigram() -> tuple[list[tuple[str, float]], str]:
    """Return tokens with scores, and a small character map (full-width digits, a ligature, two letters that map to
    one).
    """
    sentencepiece, proto = sentencepiece_package()
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        pairs = [(f"{0xFF10 + digit:X}", f"{0x30 + digit:X}") for digit in range(10)]
        pairs += [("FB01", "66 69"), ("65 301", "E9"), ("200B", "")]
        pairs += [(white, "20") for white in ("3000", "A0", "A", "9", "D")]
        rules.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS * 3), model_writer=model, vocab_size=420, model_type="unigram",
            normalization_rule_tsv=str(rules), hard_vocab_limit=False, bos_id=0, pad_id=1, eos_id=2, unk_id=3,
            character_coverage=0.98,
        )  # fmt: skip
        processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
        spec = proto.ModelProto.FromString(model.getvalue()).normalizer_spec
    tokens = [(processor.id_to_piece(one), round(processor.get_score(one), 4)) for one in range(len(processor))]
    return tokens, base64.b64encode(spec.precompiled_charsmap).decode()


def main(arguments: list[str]) -> None:
    """Command line."""
    if arguments:
        server = llama_cpp.serve(arguments[0])
        print(f"\nANSWER {digests([llama_cpp.token_ids(server, text, special=True) for text in TEXTS])}", flush=True)
        os._exit(0)
    recorded: dict[str, Any] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    if not recorded:
        tokens, charsmap = _unigram()
        recorded = {"merges": _trained(), "unigram": tokens, "charsmap": charsmap, "bpe": {}, "of_unigram": {}}
    recorded["bpe"] |= {pre: _ids(of_bytes(pre, recorded["merges"])) for pre in WORDS if pre not in recorded["bpe"]}
    recorded.setdefault("compositions", base64.b64encode(composing_map(compositions())).decode())
    recorded["of_characters"] = {pre: _ids(of_characters(recorded["merges"], pre)) for pre in ("", *CHARACTERS)}
    recorded["word_pieces"] = {name: _ids(word_pieces(name)) for name in WORD_PIECES}
    recorded["of_unigram"] = {name: _ids(unigram(name, recorded)) for name in UNIGRAM}
    RECORDED.write_text(json.dumps(recorded, indent=0) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
