# SPDX-License-Identifier: MIT
"""Images in requests of all APIs, with their clients: the answer is that of ``LLM.chat``."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

import anthropic
import numpy as np
import numpy.typing as npt
import ollama
import openai
import pytest
from llm import vision_files
from llm.test_vision_chat import write
from PIL import Image
from waiting import LONG

from pyhexagon import LLM, Device
from serve.serving import NAME, Serving, serving

PICTURE, OTHER = vision_files.picture(40, 24), vision_files.picture(24, 40, seed=5)


def encoded(picture: npt.NDArray[np.uint8]) -> str:
    """Return a PNG in base64."""
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "PNG")
    return base64.b64encode(stream.getvalue()).decode()


def url_of(picture: npt.NDArray[np.uint8]) -> str:
    return f"data:image/png;base64,{encoded(picture)}"


def part_of(picture: npt.NDArray[np.uint8]) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url_of(picture)}}


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    text, mmproj = write(tmp_path_factory.mktemp("model"), "internvl")
    with Device("cpu") as device, LLM(text, 256, mmproj=mmproj, n_sequences=4, device=device) as llm:
        yield llm


@pytest.fixture(scope="module")
def here(seeing: LLM) -> Iterator[Serving]:
    with serving(seeing) as one:
        yield one


def wanted(llm: LLM, *content: dict[str, Any]) -> str:
    return "".join(part.text for part in llm.chat([{"role": "user", "content": list(content)}], 6, 0))


def test_openai_chats(seeing: LLM, here: Serving) -> None:
    client, text = here.client(), {"type": "text", "text": "an he"}
    content: Any
    for content in ([part_of(PICTURE), text], [text, part_of(PICTURE), part_of(OTHER)]):
        made = client.chat.completions.create(
            model=NAME, messages=[{"role": "user", "content": content}], max_tokens=6, temperature=0
        )
        assert made.choices[0].message.content == wanted(seeing, *content)
        assert made.usage is not None
        assert made.usage.prompt_tokens > 48
    assert wanted(seeing, part_of(PICTURE), text) != wanted(seeing, part_of(OTHER), text)


def test_openai_responses(seeing: LLM, here: Serving) -> None:
    content: Any = [{"type": "input_image", "image_url": url_of(PICTURE)}, {"type": "input_text", "text": "an he"}]
    made = here.client().responses.create(
        model=NAME, input=[{"role": "user", "content": content}], max_output_tokens=6, temperature=0
    )
    assert made.output_text == wanted(seeing, part_of(PICTURE), {"type": "text", "text": "an he"})


def test_anthropic_messages(seeing: LLM, here: Serving) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": encoded(PICTURE)}
    content: Any = [{"type": "image", "source": source}, {"type": "text", "text": "an he"}]
    with anthropic.Anthropic(base_url=here.url, api_key="none", max_retries=0, timeout=LONG) as client:
        made = client.messages.create(
            model=NAME, messages=[{"role": "user", "content": content}], max_tokens=6, extra_body={"temperature": 0}
        )
    assert made.content[0].type == "text"
    assert made.content[0].text == wanted(seeing, part_of(PICTURE), {"type": "text", "text": "an he"})


def test_ollama_images(seeing: LLM, here: Serving) -> None:
    options = {"temperature": 0, "num_predict": 6}
    text = {"type": "text", "text": "an he"}
    with ollama.Client(here.url, timeout=LONG) as client:
        talk: Any = [{"role": "user", "content": "an he", "images": [encoded(PICTURE)]}]
        chat = client.chat(NAME, talk, options=options)
        generated = client.generate(NAME, "an he", images=[encoded(PICTURE)], options=options)
    assert chat.message.content == generated.response == wanted(seeing, part_of(PICTURE), text)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://example.org/a.png", "nothing is fetched"),
        ("/etc/passwd", "expected a data: URL"),
        ("file:///etc/passwd", "expected a data: URL"),
        ("data:image/png;base64,AAAA", "cannot be decoded"),
        (7, "an image by its data: URL"),
    ],
)
def test_what_is_no_image_is_a_bad_request(here: Serving, url: Any, message: str) -> None:
    content: Any = [{"type": "image_url", "image_url": {"url": url}}]
    with pytest.raises(openai.BadRequestError, match=message):
        here.client().chat.completions.create(
            model=NAME, messages=[{"role": "user", "content": content}], max_tokens=2
        )


def test_a_model_that_sees_nothing_is_told_of_images(llm: LLM) -> None:
    """Without an mmproj file nothing has changed: the text has "[image]" in the place of each."""
    with serving(llm) as one:
        content: Any = [part_of(PICTURE), {"type": "text", "text": "an"}]
        made = one.client().chat.completions.create(
            model=NAME, messages=[{"role": "user", "content": content}], max_tokens=4, temperature=0
        )
    said = "".join(part.text for part in llm.chat([{"role": "user", "content": "[image]an"}], 4, 0))
    assert made.choices[0].message.content == said


def test_images_beyond_the_context_are_refused_as_long_prompts_are(here: Serving) -> None:
    content: Any = [part_of(vision_files.picture(40, 24, seed=seed)) for seed in range(40)]
    with pytest.raises(openai.BadRequestError, match=r"at least 306 tokens.* has 256") as caught:
        here.client().chat.completions.create(model=NAME, messages=[{"role": "user", "content": content}])
    assert caught.value.code == "context_length_exceeded"


def test_results_of_tools_may_be_images(seeing: LLM, here: Serving) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    image: Any = part_of(PICTURE)
    messages: list[Any] = [
        {"role": "user", "content": "an he"}, {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": [image]},
    ]  # fmt: skip
    text = "".join(part.text for part in seeing.chat(messages, 6, 0))
    client = here.client()
    chat = client.chat.completions.create(model=NAME, messages=messages, max_tokens=6, temperature=0)
    assert chat.choices[0].message.content == text
    items: Any = [
        {"role": "user", "content": "an he"},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1",
         "output": [{"type": "input_image", "image_url": url_of(PICTURE)}]},
    ]  # fmt: skip
    response = client.responses.create(model=NAME, input=items, max_output_tokens=6, temperature=0)
    assert response.output_text == text
    source = {"type": "base64", "media_type": "image/png", "data": encoded(PICTURE)}
    turns: Any = [
        {"role": "user", "content": "an he"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "call_1", "name": "look", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "image", "source": source}]}]},
    ]  # fmt: skip
    with anthropic.Anthropic(base_url=here.url, api_key="none", max_retries=0, timeout=LONG) as other_client:
        message = other_client.messages.create(
            model=NAME, max_tokens=6, messages=turns, extra_body={"temperature": 0}
        )
    assert [block.text for block in message.content if block.type == "text"] == [text]
