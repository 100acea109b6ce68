# SPDX-License-Identifier: MIT
"""Loads the models of a server on the same devices: each has an engine thread, and all share the sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Final

from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.device import Device
from pyhexagon.errors import DeviceLostError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm import LLM
from pyhexagon.llm.engine.device_gate import DeviceGate
from pyhexagon.llm.engine.engine_thread import EngineThread
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.speculation import LOOKUP, MTP
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.llm.memory import longest_context, planned, share_of
from pyhexagon.llm.vision.memory import planned as planned_encoder
from pyhexagon.models.store import resolve
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.pooled_model import Kind, LoadedModel, PooledModel, Prompts
from pyhexagon.serve.models.speech import LoadedSpeech
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.memory import planned as planned_speech
from pyhexagon.speech.shared import SharedWhisper
from pyhexagon.speech.whisper import Whisper

_BEST_OF: Final = 5  # draws of a window at a temperature above 0


class DeviceLoader:
    """Loads models on open devices.

    Args:
        devices: each model uses all of them.
        limits: of the requests of each model.
        metrics: of the server; each model has its part.
        n_ctx, kv, n_batch: as for ``LLM``; a model that was made for a shorter context gets that one.
        mmproj_weights: as for ``LLM``.
        context_bytes: of each model with its context, which is as long as they allow; 0: ``n_ctx`` says how long.
    """

    def __init__(
        self, devices: Sequence[Device], limits: Limits, metrics: Metrics, *, n_ctx: int | None = None,
        kv: str | None = None, n_batch: int = MAX_BATCH_TOKENS, mmproj_weights: WeightType = "file",
        context_bytes: int = 0,
    ) -> None:  # fmt: skip
        self._devices, self._limits, self._metrics, self._n_ctx, self._kv = devices, limits, metrics, n_ctx, kv
        self._n_batch, self._mmproj_weights, self._context_bytes = n_batch, mmproj_weights, context_bytes
        self._loaded: set[LLM] = set()
        self._gate = DeviceGate()
        metrics.watch(self._figures)

    def n_bytes(
        self, path: str, draft: str = "", kind: Kind = "text", wanted_ctx: int = 0, mmproj: str = ""
    ) -> int:
        """Return the planned bytes of weights, KV cache and activations; reads the headers only.

        Args:
            wanted_ctx: a longer context than the models otherwise have; 0: as they have.

        Raises:
            HexagonError: the file cannot be used.
        """
        if kind == "speech":
            plan, n_windows = planned_speech(WhisperFile(path)), self._limits.n_parallel
            return plan.weights + n_windows * (_BEST_OF * plan.text + plan.audio)
        with GGUFFile(path) as file:
            can_run = checked(file, has_mtp=draft == MTP)
            config, _ = can_run
            kv, n_sequences = self._kind(config), self._limits.n_parallel
            share = max(share_of(device) for device in self._devices)
            n_ctx = self._context(file, can_run, wanted_ctx)
            n_bytes = sum(planned(file, can_run, n_ctx, n_sequences=n_sequences, kind=kv, cpu_share=share))
        if draft not in ("", MTP, LOOKUP):
            share = share_of(self._devices[0])
            with GGUFFile(resolve(draft)) as file:
                n_bytes += sum(
                    planned(file, checked(file), n_ctx, n_sequences=n_sequences, kind=kv, cpu_share=share)
                )
        if mmproj:
            with GGUFFile(mmproj) as file:
                n_bytes += sum(planned_encoder(file, self._mmproj_weights).memory)
        return n_bytes

    def _kind(self, config: Config) -> str:
        return self._kv or ("f16" if config.is_encoder else "q8_0")

    def _context(self, file: GGUFFile, can_run: tuple[Config, list[str]], wanted_ctx: int) -> int:
        """Return the context length of a model."""
        config, n_sequences = can_run[0], self._limits.n_parallel
        n_ctx = min(config.n_ctx, 4096) if self._n_ctx is None else min(config.longest_ctx, self._n_ctx)
        if self._context_bytes and config.is_encoder:
            n_ctx = config.longest_ctx
        elif self._context_bytes:
            kind = self._kind(config)
            plan = planned(file, can_run, PAGE_TOKENS, n_sequences=n_sequences, kind=kind)
            n_ctx = max(n_ctx, longest_context(plan, config, self._context_bytes, kind, n_sequences))
        return max(n_ctx, min(config.longest_ctx, wanted_ctx))

    def load(self, model: PooledModel, check: Callable[[], None]) -> LoadedModel | LoadedSpeech:
        """Load a model and start its engine thread; ``check`` is called repeatedly, and may raise.

        Raises:
            HexagonError: as ``LLM``.
        """
        load = self._load_speech if model.kind == "speech" else self._load
        try:
            return load(model, check)
        except DeviceLostError:  # idle models do not notice that the device was lost
            with self._gate.alone():
                for device in self._devices:
                    device.reopen()
            return load(model, check)

    def _load_speech(self, model: PooledModel, check: Callable[[], None]) -> LoadedSpeech:
        n_windows = self._limits.n_parallel
        with self._gate.together():
            whisper = Whisper(
                model.path, device=self._devices[0], n_sequences=_BEST_OF * n_windows, n_windows=n_windows,
                progress=lambda *_: check(),
            )  # fmt: skip

        def close() -> None:
            with self._gate.together():
                whisper.close()

        return LoadedSpeech(SharedWhisper(whisper, self._gate), self._metrics.of_model(model.name), close)

    def _load(self, model: PooledModel, check: Callable[[], None]) -> LoadedModel:
        with GGUFFile(model.path) as file:
            n_ctx = self._context(file, checked(file), model.n_ctx)
        metrics, limits = self._metrics.of_model(model.name), self._limits
        with ExitStack() as stack:
            with self._gate.together():
                llm = LLM(
                    model.path, n_ctx, kv=self._kv, n_sequences=limits.n_parallel, n_batch=self._n_batch,
                    draft_model=model.draft or None, mmproj=model.mmproj or False,
                    mmproj_weights=self._mmproj_weights,
                    chat_template=model.template or None, device=self._devices, progress=lambda *_: check(),
                )  # fmt: skip
            stack.callback(self._close, llm)
            with self._gate.together():
                engine = EngineThread(
                    llm, metrics.statistics, n_parallel=limits.n_parallel, n_waiting=limits.n_waiting, gate=self._gate
                )
            stack.enter_context(engine)
            prompts = Prompts(llm, engine.run_beside)
            opened = stack.pop_all()
        self._loaded.add(llm)

        def figures() -> dict[str, float]:
            values: dict[str, float] = {}
            with suppress(HexagonError):  # the model is being closed
                values = engine.figures()
            values.pop("memory_compute_bytes", None)  # shared by all models
            return values

        def close() -> None:
            metrics.watch(dict)
            self._loaded.discard(llm)
            opened.close()

        metrics.watch(figures)
        return LoadedModel(llm, engine, metrics, prompts, close)

    def _close(self, llm: LLM) -> None:
        with self._gate.together():
            llm.close()

    def _figures(self) -> dict[str, float]:
        """Return the memory that no model has for itself."""
        with suppress(HexagonError):
            own = sum(size for llm in list(self._loaded) for name, size in llm.memory().items() if name != "compute")
            return {"memory_compute_bytes": sum(device.info().memory_bytes for device in self._devices) - own}
        return {}
