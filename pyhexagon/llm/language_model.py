# SPDX-License-Identifier: MIT
"""``LanguageModel``: the interface of models on one device (``LLM``) and of pipelines over several boards."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pyhexagon.errors import ArgumentError, HexagonError, UnsupportedError
from pyhexagon.llm.chat.host_model import rendered
from pyhexagon.llm.chat.templates import Message
from pyhexagon.llm.completion_model import CompletionModel
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS, Embeddings
from pyhexagon.llm.engine.encoder import Encoder
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.sampling_params import SamplingParams
from pyhexagon.llm.engine.streaming import Stream
from pyhexagon.llm.vision.memory import EncoderPlan
from pyhexagon.llm.vision.messages import MARK, cut, has_images
from pyhexagon.llm.vision.pictures import picture_of
from pyhexagon.llm.vision.pulled import mmproj_beside
from pyhexagon.llm.vision.vision import DeviceTurn, Vision, at_once

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")


class Computing(Protocol):
    """The device or the boards that run a model."""

    name: str

    @property
    def lost(self) -> str:
        """Why the device needs ``reopen``; empty if it does not."""

    def reopen(self) -> None:
        """Make a lost device usable again. KV caches are lost."""


class LanguageModel(CompletionModel):
    """Completions, chat, logits and embeddings of a model; the base class of ``LLM`` and ``Pipeline``.

    Attributes:
        has_vision: whether messages may have images: the model has an mmproj file.
        encoder_plan: of the image encoder; None without one.
    """

    has_vision = False
    encoder_plan: EncoderPlan | None = None
    _instead = "share one between threads"
    _draft_name = ""
    _vision: Vision | None = None

    @property
    def chat_template(self) -> str | None:
        """The chat template of the model's file, written for Jinja, or None."""
        return self._template

    @property
    def draft_name(self) -> str:
        """Name of the draft model: its file without the ending, "mtp" or "lookup"; empty without speculation."""
        return self._draft_name

    @property
    @abstractmethod
    def device(self) -> Computing:
        """The device or the boards that run the model."""

    @property
    def devices(self) -> Sequence[Computing]:
        """All devices that run the model; the boards of a cluster count as one."""
        return [self.device]

    @property
    def device_name(self) -> str:
        """The names of the devices, separated by commas."""
        return ",".join(device.name for device in self.devices)

    @property
    def lost(self) -> str:
        """Why the model needs ``reopen``; empty if it does not."""
        for device in self.devices:
            if reason := device.lost:
                return reason
        return ""

    def reopen(self) -> None:
        """Make the devices that were lost usable again; requests can be repeated. KV caches are lost."""
        for device in self.devices:
            device.reopen()

    @abstractmethod
    def memory(self) -> dict[str, int]:
        """Return the bytes of shared memory of the "model", the "context" and "compute"; see ``LLM.memory``."""

    @abstractmethod
    def close(self) -> None:
        """Free memory and devices. Again is a no-op."""

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._is_open

    def chat(
        self,
        messages: Sequence[Message],
        max_tokens: int | None = None,
        temperature: float | None = None,
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = False,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
        **sampling: Unpack[SamplingParams],
    ) -> Stream:
        """Return an iterator of the chunks of the assistant's next message, as ``stream`` does.

        Args:
            messages: each with a "role" (system, developer, user, assistant, tool or function) and "content": a text,
                or a list of parts, ``{"type": "text", "text": ...}`` and, for a model with an mmproj file,
                ``{"type": "image_url", "image_url": {"url": ...}}`` (a ``data:`` URL or the path of a file) or
                ``{"type": "image", "image": ...}`` (also bytes, a Pillow image or a NumPy array).
            tools: functions that the model may call, as JSON schemas; for chat templates with tool support.
            parse_special: parse names of special tokens within messages and tools as special tokens. Never set it for
                untrusted content, which could then end its message and begin a system message. By default such names
                are plain text.
            template_kwargs: further variables of the chat template, such as ``{"enable_thinking": False}``.
            continue_final_message: continue the last message, a text of the assistant, instead of beginning another.
            max_tokens, temperature, **sampling: as ``stream``.

        Raises:
            UnsupportedError: the file has no chat template; or messages have images, and the model has no mmproj file.
            ArgumentError: a role is unknown, the chat template rejects the messages, or the last message cannot be
                continued: it is no text of the assistant, it begins with reasoning, or the template changes its text.
                Or an image cannot be decoded, see ``pyhexagon.llm.vision.pictures.picture_of``.
        """
        ids, embeddings = self.chat_prompt(
            messages, tools=tools, parse_special=parse_special, template_kwargs=template_kwargs,
            continue_final_message=continue_final_message,
        )  # fmt: skip
        sampling.setdefault("reasoning_format", "auto")
        return self.stream(ids, max_tokens, temperature, embeddings=embeddings, **sampling)

    def chat_prompt(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = False,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
    ) -> tuple[list[int], Embeddings]:
        """Return the tokens of a conversation, and the embeddings of its images, which the device computes.

        Args:
            messages, tools, parse_special, template_kwargs, continue_final_message: as for ``chat``.

        Raises:
            ArgumentError, UnsupportedError: as ``chat``.
            HexagonError: the device fails.
        """
        images: list[Any] = []
        if has_images(messages):
            messages, images = cut(messages)
        prompt = self.apply_template(
            messages, tools=tools, parse_special=parse_special, template_kwargs=template_kwargs,
            continue_final_message=continue_final_message,
        )  # fmt: skip
        return self.image_prompt(prompt, images)

    def image_prompt(
        self, prompt: str, images: Sequence[Any], *, may_read_files: bool = True, beside: DeviceTurn = at_once
    ) -> tuple[list[int], Embeddings]:
        """Return the tokens of a rendered conversation, and the embeddings of its images.

        Args:
            prompt: with a mark in the place of each image, see ``pyhexagon.llm.vision.messages.cut``.
            images: as of ``pyhexagon.llm.vision.pictures.picture_of``.
            may_read_files: False refuses images by the path of a file.
            beside: calls what uses the device, beside an engine's thread: ``EngineThread.run_beside``.

        Raises:
            ImagesTooLongError: the images do not fit the context.
            ArgumentError: an image cannot be decoded, or the chat template dropped one.
            UnsupportedError: there are images, and the model has no mmproj file.
            HexagonError: the device fails.
        """
        encode = partial(self.tokenizer.encode, add_special=False)
        if not images:
            return encode(prompt), NO_EMBEDDINGS
        if self._vision is None:
            found = mmproj_beside(self.path)
            hint = f"LLM(mmproj={found!r})" if found else "LLM(mmproj=...)"
            raise UnsupportedError(f"{self.path} takes no images without an mmproj file", hint=hint)
        if (n_marks := prompt.count(MARK)) != len(images):
            raise ArgumentError(f"the chat template wrote {n_marks} of {len(images)} images")
        pictures = (picture_of(image, may_read_files=may_read_files) for image in images)

        def turn(call: Callable[[], T]) -> T:
            return beside(partial(self._in_turn, call))

        tokens, table = self._vision.prompt(prompt, pictures, encode, self.n_ctx, turn)
        return tokens, table.embeddings()

    def _in_turn(self, call: Callable[[], T]) -> T:
        with self._held():
            return call()

    def apply_template(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        parse_special: bool = True,
        template_kwargs: Mapping[str, Any] | None = None,
        continue_final_message: bool = False,
    ) -> str:
        """Return the prompt of a conversation, rendered by the model's chat template, with the generation prompt.

        Args:
            messages, tools, template_kwargs, continue_final_message: as for ``chat``.
            parse_special: False marks the names of special tokens within messages, tools and template_kwargs with
                U+FDD0, so that ``tokenizer.encode`` treats them as plain text, as ``chat`` does.
        """
        if isinstance(messages, (str, Mapping)):
            message = messages if isinstance(messages, Mapping) else {"role": "user", "content": messages}
            kind = "a text" if isinstance(messages, str) else "one message"
            raise ArgumentError(f"messages is {kind}: expected a list of messages", hint=f"[{message}]")
        return rendered(
            self.path, self._template, self.tokenizer, messages, tools, parse_special=parse_special,
            template_kwargs=template_kwargs, continue_final_message=continue_final_message,
        )  # fmt: skip

    def reserve(self) -> None:
        """Allocate now the memory that activations of any batch need, so that a server does not run out of it later.

        Raises:
            DspMemoryError: it does not fit.
        """
        if isinstance(self._running, Engine):
            self._running.core.stages.reserve()

    def clear_cache(self) -> None:
        """Evict all cached sequences. No completion changes: the engine computes their prefixes again when needed.

        Raises:
            UnsupportedError: the model makes embeddings only.
        """
        with self._held():
            self._core.clear_cache()

    @property
    def work(self) -> tuple[int, float]:
        """Number of messages that the engine has received so far, and the seconds that their round trips took."""
        model = self._running
        if isinstance(model, Encoder):
            return 0, 0.0
        return model.core.runner.n_messages, model.core.runner.busy_seconds

    # --- Life ---

    def __enter__(self) -> Self:
        self._check()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.close()
        except HexagonError as problem:
            if error is None:
                raise
            warnings.warn(f"{self!r} was not closed well: {problem}", RuntimeWarning, stacklevel=2)

    def __repr__(self) -> str:
        state = " closed" if self.closed else f", n_ctx {self.n_ctx}, on {self.device_name}"
        return f"<{type(self).__name__} {self.path}{state}>"

