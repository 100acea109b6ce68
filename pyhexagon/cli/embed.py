# SPDX-License-Identifier: MIT
"""``pyhexagon embed``: texts as vectors, and how near they are to each other."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pyhexagon.cli import llm_options
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.language_model import known_pooling

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("embed", help="texts as vectors: their cosines, or with --json the vectors")
    llm_options.add_model_options(parser)
    parser.add_argument("-p", "--prompt", metavar="TEXT", action="append", default=[], help="a text; may be repeated")
    parser.add_argument("-f", "--file", metavar="FILE", help="a file with a text a line, in UTF-8")
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    lines = [] if options.file is None else llm_options.content(options.file).splitlines()
    texts = [*options.prompt, *(line for line in lines if line.strip())]
    if not texts:
        raise ArgumentError("no texts: expected -p TEXT or -f FILE")
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
