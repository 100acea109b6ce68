# SPDX-License-Identifier: MIT
"""``pyhexagon embed``: embed texts, and print their cosine similarities."""

from __future__ import annotations

import argparse

from pyhexagon.cli import llm_options
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.embedding_model import known_pooling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    llm_options.add_model_options(parser)
    parser.add_argument("texts", metavar="TEXT", nargs="*", help="the texts to embed")
    parser.add_argument(
        "-p", "--prompt", metavar="TEXT", action="append", default=[],
        help="a text, which may begin with a dash; may be repeated",
    )  # fmt: skip
    parser.add_argument("-f", "--file", metavar="FILE", help="a file with one text per line, in UTF-8")


def run(options: argparse.Namespace, output: Output) -> None:
    lines = [] if options.file is None else llm_options.content(options.file).splitlines()
    texts = [*options.texts, *options.prompt, *(line for line in lines if line.strip())]
    if not texts:
        raise ArgumentError("no texts: expected TEXT ..., -p TEXT or -f FILE")
    known_pooling(llm_options.header(options.model).pooling, options.model)
    with llm_options.loaded(options, output) as llm:
        vectors = llm.embed(texts)
    if output.as_json:
        output.json({"model": options.model, "texts": texts, "embeddings": vectors.tolist()})
        return
    if not llm.can_embed:
        columns = [("text", False), *((f"score {number + 1}", True) for number in range(vectors.shape[1]))]
        scored = zip(texts, vectors, strict=True)
        output.table(columns, [[text[:40], *(f"{score:.3f}" for score in row)] for text, row in scored], n_keys=1)
        return
    columns = [("text", False), *((str(number + 1), True) for number in range(len(texts)))]
    rows = [
        [f"{number + 1} {text[:40]}", *(f"{cosine:.3f}" for cosine in vectors @ vectors[number])]
        for number, text in enumerate(texts)
    ]
    output.table(columns, rows, n_keys=1)
