# SPDX-License-Identifier: MIT
"""The examples that ``pyhexagon COMMAND --help`` ends with."""

from __future__ import annotations

import argparse
from typing import Final

_EXAMPLES: Final = {
    "chat": """\
  pyhexagon chat smollm2:135m --device cpu          on a PC
  pyhexagon chat model.gguf --on radxa@q6a          on a board
  pyhexagon chat model.gguf -c 8192 --temp 0 --system "Answer in one sentence."
""",
    "run": """\
  pyhexagon run model.gguf "Once upon a time" -n 100          continue a text
  pyhexagon run model.gguf --chat "Name three colors."        ask a question
  cat letter.txt | pyhexagon run model.gguf -n 100            continue the text of a pipe
  pyhexagon run model.gguf --chat "A person." --json-schema '{"type": "object"}'
""",
    "serve": """\
  pyhexagon serve smollm2:135m                                at http://127.0.0.1:8080
  pyhexagon serve model.gguf other.gguf --host 0.0.0.0 --api-key-file keys
  pyhexagon serve --models-dir ~/models                       each model when a request names it
""",
    "map": """\
  pyhexagon map model.gguf prompts.jsonl --out answers.jsonl
""",
    "embed": """\
  pyhexagon embed nomic-embed-text "a cat" "a dog"            their cosine similarity
  pyhexagon embed nomic-embed-text -f texts.txt --json        the vectors
""",
    "transcribe": """\
  pyhexagon transcribe talk.mp3                               the text
  pyhexagon transcribe talk.mp3 --vad --output talk.srt       subtitles of a long file
  pyhexagon transcribe --mic --model whisper:tiny             what is said at the microphone
  ffmpeg -i talk.mp4 -f s16le -ar 16000 -ac 1 - | pyhexagon transcribe -
""",
    "wyoming": """\
  pyhexagon wyoming whisper:base --host 0.0.0.0               for Home Assistant, at port 10300
""",
    "eval": """\
  pyhexagon eval perplexity model.gguf text.txt -c 512
  pyhexagon eval determinism model.gguf
""",
    "pull": """\
  pyhexagon pull qwen3:0.6b                                   of the catalogue: pyhexagon list --all
  pyhexagon pull hf:Qwen/Qwen3-4B-GGUF:Q4_K_M                 of the Hugging Face Hub
  pyhexagon pull ~/models/my.gguf --name mine                 a file that is here
""",
    "show": """\
  pyhexagon show smollm2:135m                                 architecture, memory, the boards that it fits on
""",
    "matmul": """\
  pyhexagon matmul model.gguf blk.0.ffn_up.weight --batch 4 --device cpu
""",
    "bench": """\
  pyhexagon bench model model.gguf -p 512 -n 128              as llama-bench
  pyhexagon bench speech --random small --weights q8_0        real-time factor of a whisper model, estimated
  pyhexagon bench matmul --types Q4_0,Q4_K --shape 4096x4096 --batch 1,32
""",
    "logs": """\
  pyhexagon logs -- python3 my_program.py                     with the messages of its DSP
""",
    "kernel": """\
  pyhexagon kernel blend.c --shape 480x640 --dtype uint8 --param w=int32:77 --check --save
""",
    "report": """\
  pyhexagon report model.gguf --out report.json
""",
    "deploy": """\
  pyhexagon deploy radxa@q6a
  pyhexagon deploy radxa@q6a --serve model.gguf --serve-options "--parallel 8 -c 4096"
""",
    "cluster": """\
  pyhexagon cluster start
  pyhexagon cluster join radxa@one radxa@two
""",
}


def add(parser: argparse.ArgumentParser) -> None:
    """End the help of a command with its examples, if it has some."""
    text = _EXAMPLES.get(parser.prog.split()[-1])
    if text is not None:
        parser.epilog = f"examples:\n{text}"
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
