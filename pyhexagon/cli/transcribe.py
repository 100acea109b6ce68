# SPDX-License-Identifier: MIT
"""``pyhexagon transcribe``: write down what is said in audio files, a pipe, or at the microphone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyhexagon import files
from pyhexagon.cli import speech_options
from pyhexagon.cli.llm_options import shown
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError, AudioError
from pyhexagon.speech.audio import AudioFile, Samples, raw_audio
from pyhexagon.speech.formats import EXTENSIONS, FORMATS, Format, verbose, written
from pyhexagon.speech.microphone import microphone
from pyhexagon.speech.segments import Segment, TranscriptionInfo
from pyhexagon.speech.streaming import transcribe_groups
from pyhexagon.speech.vad import grouped, utterances

if TYPE_CHECKING:
    from pyhexagon.speech.shared import SharedWhisper

_MODEL: Final = "whisper:base"
_PIPE: Final = "-"
_MICROPHONE: Final = "microphone"  # in place of a file's name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="*",
        help="audio files (wav, flac, ogg, opus, mp3); -: raw samples of a pipe, 16 bits, mono, at 16 kHz",
    )  # fmt: skip
    parser.add_argument("--mic", action="store_true", help="transcribe the microphone until Ctrl-C")
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write to a file, or, for each audio file, into a folder"
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="format of the output (default: that of --output's ending, or text)"
    )
    group = parser.add_argument_group("transcription")
    group.add_argument("--language", metavar="CODE", help="language of the speech, such as en (default: detected)")
    group.add_argument("--translate", action="store_true", help="translate into English")
    group.add_argument("--beam-size", metavar="N", type=int, default=1, help="beams (default 1: greedy)")
    group.add_argument("--word-timestamps", action="store_true", help="with --json or json: the times of words, too")
    group.add_argument("--prompt", metavar="TEXT", help="text before the speech, with names that occur in it")
    group.add_argument(
        "--vad", action="store_true", help="transcribe only speech, which silero's model finds; for long files"
    )
    group = parser.add_argument_group("model and device")
    group.add_argument(
        "--model", metavar="MODEL", default=_MODEL,
        help=f"a whisper.cpp file, or a pulled model's name (default {_MODEL})",
    )  # fmt: skip
    speech_options.add(parser, group)


def run(options: argparse.Namespace, output: Output) -> int:
    sources = [*options.files, *([_MICROPHONE] if options.mic else [])]
    outputs = _outputs(options, sources)
    with speech_options.loaded(options, output, n_sequences=max(5, options.beam_size)) as model:
        if len(sources) == 1:
            answers = [_transcribe(model, sources[0], outputs[0], options, output)]
        else:
            answers = [_tried(model, *pair, options, output) for pair in zip(sources, outputs, strict=True)]
    if output.as_json:
        output.json({"model": options.model, "files": answers})
    return int(any("error" in answer for answer in answers))


def _tried(
    model: SharedWhisper, source: str, path: Path | None, options: argparse.Namespace, output: Output
) -> dict[str, Any]:
    """As ``_transcribe``; the other files are transcribed if one cannot be read."""
    try:
        return _transcribe(model, source, path, options, output)
    except AudioError as error:
        if not output.as_json:
            output.error(error)
        return {"file": source, "error": str(error)}


def _outputs(options: argparse.Namespace, sources: list[str]) -> list[Path | None]:
    """Return the file that each source is written to; None is stdout. Checks them before a model is loaded."""
    if not sources:
        raise ArgumentError("no audio: expected FILE ..., - or --mic")
    if sources.count(_PIPE) + options.mic > 1:
        raise ArgumentError("- and --mic go on until they end: expected one of them, once")
    target: Path | None = options.output
    if target is None:
        if len(sources) > 1 and options.format not in (None, "text") and not options.json:
            raise ArgumentError(f"{len(sources)} files, and one output: --output FOLDER writes a file for each")
        return [None] * len(sources)
    if options.json:
        raise ArgumentError("--output and --json: expected one of them")
    if target.is_dir():
        extension = EXTENSIONS[options.format or "text"]
        paths = [target / f"{Path(_stem(source)).stem}.{extension}" for source in sources]
        if len(set(paths)) < len(paths):
            raise ArgumentError("--output: two files have the same name, and would be written to one file")
    elif len(sources) > 1:
        raise ArgumentError(f"--output {target} is no folder: expected one for {len(sources)} files")
    else:
        paths = [target]
    files.check_distinct(*paths, *(source for source in options.files if source != _PIPE))
    for path in paths:
        files.check(path)
    return list(paths)


def _stem(source: str) -> str:
    return "stdin" if source == _PIPE else source


def _format(options: argparse.Namespace, path: Path | None) -> Format:
    ending = "" if path is None else path.suffix.removeprefix(".")
    named: Format = next((form for form, extension in EXTENSIONS.items() if extension == ending), "text")
    return named if options.format is None else options.format


def _transcribe(
    model: SharedWhisper, source: str, path: Path | None, options: argparse.Namespace, output: Output
) -> dict[str, Any]:
    """Transcribe a source, write it unless the output is JSON, and return it as JSON."""
    task = "translate" if options.translate else "transcribe"
    kept: list[Segment] = []
    with (
        _begun(model, source, options) as (segments, info),
        output.seconds(source, info.duration, is_beside_text=path is None) as show,
    ):

        def noted() -> Iterator[Segment]:
            for segment in segments:
                show(segment.end)
                kept.append(segment)
                yield segment

        parts = written(_format(options, path), noted(), info, task)
        if output.as_json:
            kept = list(segments)
        elif path is not None:
            files.save(path, lambda file: file.writelines(part.encode("utf-8", "replace") for part in parts))
            print(f"wrote {path}", file=sys.stderr)
        else:
            if len(options.files) + options.mic > 1:
                print(shown(f"==> {source} <=="))
            for part in parts:
                print(shown(part), end="", flush=True)
    return {"file": source, **verbose(kept, info, task)}


@contextmanager
def _begun(
    model: SharedWhisper, source: str, options: argparse.Namespace
) -> Iterator[tuple[Iterator[Segment], TranscriptionInfo]]:
    """Begin to transcribe a source; yield the segments, and facts about the audio."""
    given: dict[str, Any] = {
        "language": options.language, "task": "translate" if options.translate else "transcribe",
        "beam_size": options.beam_size, "initial_prompt": options.prompt, "word_timestamps": options.word_timestamps,
    }  # fmt: skip

    def live(blocks: Iterable[Samples]) -> tuple[Iterator[Segment], TranscriptionInfo]:
        return transcribe_groups(model, grouped(utterances(blocks), seconds=0), **given)

    if source == _PIPE:
        yield live(raw_audio(sys.stdin.buffer))
    elif source == _MICROPHONE:
        with microphone() as blocks:
            print("listening; Ctrl-C ends", file=sys.stderr)
            yield live(blocks)
    elif options.vad:
        with AudioFile(source) as file:
            yield transcribe_groups(model, grouped(utterances(file)), duration=file.duration, **given)
    else:
        yield model.transcribe(source, **given)
