# SPDX-License-Identifier: MIT
"""``pyhexagon serve``: serve language models over HTTP with the APIs of OpenAI, Anthropic and Ollama."""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pyhexagon import extras
from pyhexagon.cli import cluster_options, llm_options, on_board, serve_models
from pyhexagon.cli.output import Output, printable
from pyhexagon.deploy import Service, ServiceFile
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.llm.engine.speculation import LOOKUP, MTP
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.models import store
from pyhexagon.serve.http.keys import given_keys

if TYPE_CHECKING:
    from pyhexagon.cluster import Router

_HOST: Final = "127.0.0.1"
_PORT: Final = 8080


def add_arguments(parser: argparse.ArgumentParser) -> None:
    llm_options.add_model_options(parser, are_several=True, has_auto=True)
    serve_models.add(parser)
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default=_HOST, help=f"address to listen on (default {_HOST}: this machine only)")
    parser.add_argument("--port", type=int, default=_PORT, help=f"port to listen on (default {_PORT}; 0: a free one)")
    parser.add_argument(
        "--alias", metavar="NAME[=MODEL]", action="append", default=[],
        help="name of the model for clients (default: its name); NAME=MODEL: a further name for one of several",
    )  # fmt: skip
    parser.add_argument(
        "--draft", metavar="MODEL", action="append", default=[],
        help=f"speculative decoding: {llm_options.DRAFTS}; NAME=MODEL for one of several",
    )  # fmt: skip
    parser.add_argument(
        "--chat-template-file", metavar="FILE", action="append", default=[],
        help="a chat template in place of the one in the model's file; NAME=FILE for one of several",
    )  # fmt: skip
    parser.add_argument("--parallel", metavar="N", type=int, default=4, help="sequences in a batch (default 4)")
    parser.add_argument("--queue", metavar="N", type=int, default=128, help="requests that may wait (default 128)")
    parser.add_argument(
        "--timeout", metavar="S", type=float, default=600, help="timeout of a request in seconds (default 600)"
    )
    parser.add_argument(
        "--max-body", metavar="KIB", type=int,
        help="maximum size of a request in KiB (default 4096, or 32768 if a model takes images)",
    )  # fmt: skip
    parser.add_argument(
        "--cache-per-key", action="store_true",
        help="prefix caching only among requests of one API key (without keys, of one address)",
    )  # fmt: skip
    parser.add_argument(
        "--api-key-file", metavar="FILE", type=Path,
        help="API keys, one a line; clients need one of them, or the one in PYHEXAGON_API_KEY",
    )  # fmt: skip
    parser.add_argument(
        "--trusted-proxy", metavar="ADDRESS", action="append", default=[],
        help="address or network of a proxy, whose X-Forwarded-For names the client (default: none)",
    )  # fmt: skip
    cluster_options.add(parser)


def as_service(model: str, text: str, device: str) -> Service:
    """Return the service that ``pyhexagon deploy --serve`` installs on a board.

    Args:
        model: a file here or on the board, or the name of a model that was pulled here.
        text: options of ``serve``, as on a command line.
        device: of the board, unless the options name one.

    Raises:
        ArgumentError: the options or the file of keys are wrong.
    """
    parser = _Strict(add_help=False, allow_abbrev=False)
    llm_options.add_model_options(parser, has_auto=True)
    _add_options(parser)
    apart = _Strict(add_help=False, allow_abbrev=False)  # a service sets these in its own way
    of_files = ("--lora", "--lora-scaled", "--draft", "--chat-template-file", "--mmproj")
    for name in ("--host", "--port", "--api-key-file", *of_files):
        apart.add_argument(name)
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise ArgumentError(f"--serve-options: {problem}") from None
    options = parser.parse_args([*words, "--", model])
    _check(options)
    file = _pulled_file(model)
    if options.on is not None or not options.port:
        raise ArgumentError("--serve-options: --on and --port 0 cannot be used in a service")
    arguments: list[str | ServiceFile] = list(apart.parse_known_args(words)[1])
    if options.device is None and device != "cdsp":
        arguments += ["--device", device]
    keys = "".join(f"{key}\n" for key in given_keys(options.api_key_file))
    name = [*options.alias, Path(model).stem if file == model else model][0]
    is_pulled = file != model and options.mmproj is None
    mmproj = store.mmproj_of(model) if is_pulled else options.mmproj
    files = _file_options(options, name) + (["--mmproj", ServiceFile(mmproj)] if mmproj else [])
    arguments += [*files, *([] if file == model or options.alias else ["--alias", model])]
    return Service(file, arguments, options.host, options.port, keys)


def _file_options(options: argparse.Namespace, name: str) -> list[str | ServiceFile]:
    """Return the options that name files, for a model with this name."""
    made: list[str | ServiceFile] = []
    for adapter in options.lora:
        if isinstance(adapter, llm_options.NamedAdapter):
            made += ["--lora", ServiceFile(adapter.path, f"{adapter.name}=", f":{adapter.scale}")]
        elif isinstance(adapter, str):
            made += ["--lora", ServiceFile(adapter)]
        else:
            path, scale = adapter
            made += ["--lora-scaled", ServiceFile(path, after=f":{scale}")]
    for template in serve_models.templates(options.chat_template_file, [name]).values():
        made += ["--chat-template-file", ServiceFile(template)]
    for draft in serve_models.by_model(options.draft, [name]).values():
        made += ["--draft", draft if draft in (MTP, LOOKUP) else ServiceFile(_pulled_file(draft))]
    return made


def _pulled_file(model: str) -> str:
    """Return the file of a model that was pulled here; of another one what is given."""
    pulled = {entry.name: entry for entry in store.entries() if entry.is_complete and not Path(model).exists()}
    if model not in pulled:
        return model
    if len(pulled[model].files) > 1 + bool(pulled[model].mmproj):
        raise ArgumentError(f"{model} is split over several files: deploy copies one file")
    return pulled[model].path


class _Printable(logging.Formatter):
    """Writes messages without control characters: paths of requests and names of files are in them."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return printable(super().formatMessage(record))


class _Strict(argparse.ArgumentParser):
    """Parses the options within an option."""

    def error(self, message: str) -> NoReturn:
        raise ArgumentError(f"--serve-options: {message}")


def _check(options: argparse.Namespace) -> None:
    for name, value, least, most in (
        ("--port", options.port, 0, 65535), ("--parallel", options.parallel, 1, 32),
        ("--queue", options.queue, 0, 4096), ("--timeout", options.timeout, 1, 86400),
        ("--max-body", options.max_body, 1, 1 << 20),
    ):  # fmt: skip
        if value is not None and not least <= value <= most:
            raise ArgumentError(f"{name} is {value}: expected {least} to {most}")
    cluster_options.check(options)
    if options.cluster is not None and options.draft:
        raise ArgumentError("--draft and --cluster: boards of a cluster run models without draft models")
    if options.cluster is not None and options.chat_template_file:
        raise ArgumentError("--chat-template-file and --cluster: a cluster uses the template in the model's file")
    if options.cluster is not None and options.mmproj:
        raise ArgumentError("--mmproj and --cluster: boards of a cluster get tokens, and no board encodes images")
    if options.cluster is not None and options.c == llm_options.AUTO:
        raise ArgumentError("-c auto and --cluster: expected a number, as boards differ")


def run(options: argparse.Namespace, output: Output) -> None:
    try:
        with extras.needed("servers", "llm,serve"):
            from pyhexagon.serve import server
            from pyhexagon.serve.http.limits import BODY_BYTES, IMAGES_BODY_BYTES, Limits
            from pyhexagon.serve.http.metrics import Metrics
            from pyhexagon.serve.serving import serve
    except UnsupportedError as error:
        if not (host := on_board.speaker().removeprefix(" on ")):
            raise
        hint = f"pyhexagon deploy {host} --serve MODEL installs what a server needs, and the server"
        raise UnsupportedError(error.detail, hint=hint) from None
    _check(options)
    folder = None if options.models_dir is None else serve_models.ModelsFolder(options.models_dir)
    models = [*options.model, *(folder.models if folder else ())]
    if not models:
        raise ArgumentError("no model: expected MODEL or --models-dir DIR", hint="pyhexagon list shows pulled models")
    is_one = len(models) == 1 and folder is None
    if is_one and serve_models.is_speech(models[0]):
        if options.chat_template_file:
            raise ArgumentError(f"--chat-template-file: {models[0]} is a speech model")
        is_one = False
    options.model = models[0]
    name = [*options.alias, serve_models.name_of(options.model)][0]
    takes_images = bool(options.mmproj)
    if not options.no_mmproj and options.cluster is None:
        takes_images = takes_images or any(
            folder.mmproj(model) if folder and model in folder.models else serve_models.pulled_mmproj_of(model)
            for model in models
        )
    if is_one:
        given_mmproj = serve_models.mmprojs(options.mmproj, [name]).get(name)
        options.mmproj = False if options.no_mmproj else given_mmproj
    if is_one and options.c == llm_options.AUTO:
        options.c = llm_options.automatic_context(options, options.parallel)
    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(_Printable("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(handlers=[log])
    keys = given_keys(options.api_key_file)
    if options.api_key_file and options.api_key_file.stat().st_mode & 0o077:
        file = options.api_key_file
        warning = f"pyhexagon: warning: others of this machine can read {file}: chmod 600 {file}"
        print(printable(warning), file=sys.stderr)
    body_bytes = IMAGES_BODY_BYTES if takes_images else BODY_BYTES
    if options.max_body is not None:
        body_bytes = options.max_body << 10
    limits = Limits(options.parallel, options.queue, options.timeout, body_bytes, options.cache_per_key)
    metrics = Metrics()
    with server.listen(options.host, options.port) as listener, ExitStack() as stack:
        given: dict[str, Any] = {"api_keys": keys, "limits": limits, "metrics": metrics, "listener": listener}
        given["trusted_proxies"] = options.trusted_proxy
        if not is_one:
            pool = stack.enter_context(serve_models.opened(models, folder, options, limits, metrics))
            names = [model.name for model in pool.models]
            serve(pool, ready=lambda url, name, device: _tell(url, name, {"models": names}, device, output), **given)
            return
        llm: LanguageModel | Router
        options.chat_template_file = serve_models.templates(options.chat_template_file, [name]).get(name)
        if not llm_options.has_template(options) and llm_options.header(options.model).pooling is None:
            llm_options.dim(f"({printable(name)} has no chat template: it can complete texts, and refuses chats)")
        if options.cluster is None:
            draft = serve_models.by_model(options.draft, [name]).get(name)
            llm = stack.enter_context(
                llm_options.loaded(options, output, draft, n_sequences=options.parallel, are_adapters_chosen=True)
            )
        else:
            llm = stack.enter_context(cluster_options.opened(options, limits.n_parallel, limits.n_waiting, metrics))
        n_ctx = llm.n_ctx if isinstance(llm, LanguageModel) else llm.model.n_ctx
        serve(
            llm, name=name, **given,
            ready=lambda url, name, device: _tell(url, name, {"model": name, "n_ctx": n_ctx}, device, output),
        )  # fmt: skip


def _tell(url: str, name: str, facts: dict[str, Any], device: str, output: Output) -> None:
    if output.as_json:
        output.json({"url": url, "device": device} | facts)
    else:
        print(f"{printable(name)} at {url}", flush=True)
