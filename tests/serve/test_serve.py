# SPDX-License-Identifier: MIT
"""``pyhexagon serve`` with OpenAI's client: completions equal those of ``LLM.stream``, whatever shares their messages.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import openai
import pytest
from llm import tiny
from waiting import LONG

from pyhexagon import LLM, Device
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.request import Request, RequestStatus
from pyhexagon.llm.engine.scheduler import Scheduler
from serve.serving import NAME, Serving, model, serving

PROMPTS = ["the", "and he in", "th er an", "a", "he he he the in", "in", "and the er", "thin"]
WILD: dict[str, Any] = {"temperature": 1.5, "top_p": 1.0}


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, n_parallel=8, n_waiting=32) as one:
        yield one


def test_eight_clients_get_what_each_gets_alone(llm: LLM, here: Serving) -> None:
    wanted = [llm.generate(text, 24, 1.5, top_p=1.0, seed=at) for at, text in enumerate(PROMPTS)]
    client = here.client()

    def whole(at: int) -> str:
        made = client.completions.create(model=NAME, prompt=PROMPTS[at], max_tokens=24, seed=at, **WILD)
        return str(made.choices[0].text)

    def streamed(at: int) -> str:
        parts = client.completions.create(model=NAME, prompt=PROMPTS[at], max_tokens=24, seed=at, stream=True, **WILD)
        return "".join(part.choices[0].text for part in parts)

    with ThreadPoolExecutor(2 * len(PROMPTS)) as pool:
        answers = [pool.submit(one, at) for one in (whole, streamed) for at in range(len(PROMPTS))]
        assert [answer.result() for answer in answers] == 2 * [made.text for made in wanted]


def test_a_chat(llm: LLM, here: Serving) -> None:
    messages: list[Any] = [{"role": "system", "content": "thin"}, {"role": "user", "content": "the"}]
    wanted = "".join(part.text for part in llm.chat(messages, 12, 0.9, seed=5))
    client = here.client()
    given: dict[str, Any] = {"model": NAME, "messages": messages, "max_tokens": 12, "temperature": 0.9, "seed": 5}
    made = client.chat.completions.create(**given)
    assert made.choices[0].message.content == wanted
    assert made.usage
    assert made.usage.completion_tokens == 12
    parts = list(client.chat.completions.create(**given, stream=True, stream_options={"include_usage": True}))
    assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == wanted
    assert parts[0].choices[0].delta.role == "assistant"
    assert parts[-1].usage
    assert (parts[-1].usage.prompt_tokens, parts[-1].usage.completion_tokens) == (made.usage.prompt_tokens, 12)


def test_a_cut_answer_is_continued(llm: LLM, here: Serving) -> None:
    messages: list[Any] = [{"role": "user", "content": "the"}]
    whole = "".join(part.text for part in llm.chat(messages, 4, 0))
    messages.append({"role": "assistant", "content": whole})
    prompt = llm.tokenizer.encode(llm.apply_template(messages[:1]) + whole, add_special=False)
    wanted = llm.generate(prompt, 12, 0).text
    assert "".join(part.text for part in llm.chat(messages, 12, 0, continue_final_message=True)) == wanted
    create = here.client().chat.completions.create
    given: dict[str, Any] = {"model": NAME, "messages": messages, "max_tokens": 12, "temperature": 0}
    more = {"continue_final_message": True}
    assert create(**given, extra_body=more).choices[0].message.content == wanted
    assert create(**given).choices[0].message.content != wanted  # another message
    rendered = here.http().post("/apply-template", json={"messages": messages, **more}).json()["prompt"]
    assert rendered.endswith(f"a {whole}")
    with pytest.raises(openai.BadRequestError, match="a grammar restricts") as wrong:
        create(**given, extra_body=more, response_format={"type": "json_object"})
    assert wrong.value.param == "continue_final_message"
    given["messages"] = messages[:1]
    with pytest.raises(openai.BadRequestError, match="only a last message of the assistant"):
        create(**given, extra_body=more)


def test_several_answers_share_their_prompt(llm: LLM, here: Serving) -> None:
    prompt = [1, *range(100, 200)]
    wanted = [llm.generate(prompt, 6, 1.5, top_p=1.0, seed=7 + at).text for at in range(3)]
    llm._core.clear_cache()
    before = llm.work[0]
    made = here.client().completions.create(model=NAME, prompt=prompt, max_tokens=6, seed=7, n=3, **WILD)
    assert [one.text for one in sorted(made.choices, key=lambda one: one.index)] == wanted
    # 101 prompt tokens in four messages (64, 32, 4, 1), then three sequences per message, two of them a token behind.
    assert llm.work[0] - before <= 4 + 6


def test_every_streamed_answer_begins_with_its_role(here: Serving) -> None:
    create: Any = here.client().chat.completions.create
    told: dict[int, list[Any]] = {0: [], 1: []}
    for part in create(model=NAME, messages=[{"role": "user", "content": "the"}], max_tokens=4, n=2, stream=True):
        told[part.choices[0].index].append(part.choices[0].delta.role)
    assert all(roles[0] == "assistant" and not any(roles[1:]) for roles in told.values())


def test_probabilities(llm: LLM, here: Serving) -> None:
    parts = list(llm.stream("the", 5, 0, top_logprobs=3))
    names = [llm.tokenizer.token_bytes(part.token).decode() for part in parts]
    made = here.client().completions.create(model=NAME, prompt="the", max_tokens=5, temperature=0, logprobs=3)
    told = made.choices[0].logprobs
    assert told
    assert told.tokens == names
    assert told.token_logprobs == [part.logprob for part in parts]
    assert told.top_logprobs
    assert [max(one, key=lambda name: one[name]) for one in told.top_logprobs] == names
    chat: Any = {"model": NAME, "messages": [{"role": "user", "content": "the"}], "max_tokens": 4}
    answer = here.client().chat.completions.create(**chat, logprobs=True, top_logprobs=2)
    assert answer.choices[0].logprobs
    assert answer.choices[0].logprobs.content
    assert [len(one.top_logprobs) for one in answer.choices[0].logprobs.content] == [2] * 4


def test_the_first_token_of_a_second_client_comes_within_two_steps(llm: LLM, here: Serving) -> None:
    scheduler = here.loaded.backend
    first_came, second_came = queue.Queue[int](), queue.Queue[int]()

    def request(ids: list[int], n: int, came: queue.Queue[int]) -> Request:
        made = Request(ids, n, {"temperature": 0}, deliver=lambda *_: came.put(llm.work[0]))
        scheduler.prepare(made)
        return made

    first = request([1, *range(270, 280)], 200, first_came)
    scheduler.submit([first])
    for _ in range(3):
        first_came.get(timeout=LONG)
    second = request([1, *range(260, 310)], 3, second_came)
    before = llm.work[0]
    scheduler.submit([second])
    assert second_came.get(timeout=LONG) - before <= 2
    assert first.status is RequestStatus.RUNNING
    scheduler.cancel([first, second])


def test_what_is_wrong_is_told(here: Serving) -> None:
    client = here.client()
    for given, param in (
        ({"prompt": []}, "prompt"), ({"prompt": "the", "temperature": -2}, "temperature"),
        ({"prompt": "the", "stop": [1]}, "stop"), ({"prompt": [600]}, "prompt"), ({"prompt": "the", "n": 0}, "n"),
        ({"prompt": [3] * 256}, "prompt"),
    ):  # fmt: skip
        with pytest.raises(openai.BadRequestError) as wrong:
            client.completions.create(model=NAME, **given)
        assert wrong.value.param == param
    messages: Any = [{"role": "user", "content": "the"}, {"role": "frog", "content": "the"}]
    with pytest.raises(openai.BadRequestError, match="expected system or developer or user") as wrong:
        client.chat.completions.create(model=NAME, messages=messages)
    assert wrong.value.param == "messages.1.role"
    for role in ("system", "developer", "user", "assistant", "tool", "function"):
        messages[1]["role"] = role
        assert client.chat.completions.create(model=NAME, messages=messages, max_tokens=1).choices
    with pytest.raises(openai.NotFoundError, match="there is no model 'other'"):
        client.completions.create(model="other", prompt="the")
    http = here.http()
    assert http.post("/v1/completions", content=b"{}").status_code == 415
    assert http.get("/v1/completions").status_code == 405
    assert http.get("/none").json()["error"]["message"] == "Not Found"
    assert http.get("/health", headers={"host": "evil.example"}).status_code == 421
    assert "access-control-allow-origin" not in http.get("/health", headers={"origin": "http://x"}).headers


def test_an_error_that_nobody_expected_is_one_line_of_log(
    here: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("oh\n" * 10_000)

    monkeypatch.setattr(type(here.loaded.model.tokenizer), "encode", fails)
    with pytest.raises(openai.InternalServerError):
        here.client().completions.create(model=NAME, prompt="the")
    (line,) = [one for one in caplog.records if one.name == "pyhexagon.serve"]
    assert "RuntimeError: oh oh" in line.getMessage()
    assert "test_serve.py:" in line.getMessage()
    assert "\n" not in line.getMessage()
    assert len(line.getMessage()) < 2500
    assert line.exc_info is None

    def refuses(*_: object, **__: object) -> NoReturn:
        raise ArgumentError("oh " * 10_000)

    monkeypatch.setattr(type(here.loaded.model.tokenizer), "encode", refuses)
    with pytest.raises(openai.BadRequestError) as wrong:
        here.client().completions.create(model=NAME, prompt="the")
    assert 2000 <= len(wrong.value.body["message"]) < 2010  # type: ignore[index]


def test_keys(llm: LLM) -> None:
    with serving(llm, ("correct-horse", "battery-staple")) as here:
        for key in ("correct-horse", "battery-staple"):
            assert [one.id for one in here.client(key).models.list()] == [NAME]
        with pytest.raises(openai.AuthenticationError):
            here.client("wrong-horse").models.list()
        assert here.http().get("/health").json() == {"status": "ok"}
        assert here.http().get("/metrics").status_code == 401


def test_with_a_cache_for_each_key_nobody_sees_what_others_asked(llm: LLM) -> None:
    keys = ("correct-horse", "battery-staple")
    prompt = [1, *range(100, 200)]
    for is_apart in (True, False):
        llm._core.clear_cache()
        with serving(llm, keys, is_cache_per_client=is_apart) as here:

            def n_messages(number: int, **more: Any) -> int:
                before = llm.work[0]
                client = here.client(keys[number])
                client.completions.create(model=NAME, prompt=prompt, temperature=0, max_tokens=1, **more)
                return llm.work[0] - before

            n_scored = n_messages(0, echo=True, logprobs=0)
            assert n_messages(0) == 1  # all but the last token is cached
            n_of_another = n_messages(1)
            assert n_of_another == (4 if is_apart else 1)  # 101 tokens: 64, 32, 4, 1
            assert n_messages(1) == n_messages(0) == 1
            assert n_scored > 4


def test_when_too_many_wait_it_says_when_to_come_again(llm: LLM) -> None:
    with serving(llm, n_parallel=1, n_waiting=1) as here:
        client = here.client()
        with pytest.raises(openai.RateLimitError) as refused:
            client.completions.create(model=NAME, prompt="the", n=3, max_tokens=2)
        assert int(refused.value.response.headers["retry-after"]) >= 1
        assert client.completions.create(model=NAME, prompt="the", n=2, max_tokens=2).usage


def test_who_goes_away_is_no_longer_computed(llm: LLM, here: Serving) -> None:
    given: dict[str, Any] = {"model": NAME, "prompt": "the", "max_tokens": 200, "temperature": 0}
    stream = here.client().completions.create(**given, stream=True)
    next(iter(stream))
    stream.close()
    scheduler = here.loaded.backend
    ended = threading.Event()
    deadline = time.monotonic() + LONG
    while scheduler.counts != (0, 0):
        assert time.monotonic() < deadline
        ended.wait(0.01)
    assert len(tiny.SPM) < tiny.N_TOKENS  # so the model generates no end-of-sequence token before


def test_a_request_ends_with_the_third_dsp_that_dies_of_it(
    tmp_path_factory: pytest.TempPathFactory, faults: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = model(tmp_path_factory.mktemp("model"))
    with Device("loopback") as device, LLM(path, 64, device=device) as llm, serving(llm) as here:
        compute = Scheduler.compute

        def deadly(scheduler: Scheduler) -> Any:
            faults.kill(device)
            return compute(scheduler)

        with monkeypatch.context() as patch:
            patch.setattr(Scheduler, "compute", deadly)
            answer = here.http().post("/v1/completions", json={"model": NAME, "prompt": "the", "max_tokens": 2})
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "device_lost")
        assert "the DSP died 3 times while this was answered" in answer.json()["error"]["message"]


@pytest.mark.parametrize("has_draft", [False, True])
def test_a_dead_dsp_is_opened_again_and_answers_go_on(
    tmp_path_factory: pytest.TempPathFactory, faults: Any, has_draft: bool
) -> None:
    path = model(tmp_path_factory.mktemp("model"))
    draft = path if has_draft else None
    with Device("loopback") as device, LLM(path, 256, n_sequences=4, draft_model=draft, device=device) as llm:
        wanted = [llm.generate(text, 40, 1.5, top_p=1.0, seed=at).text for at, text in enumerate(PROMPTS[:4])]
        with serving(llm) as here, ThreadPoolExecutor(4) as pool:
            client = here.client()

            def streamed(at: int) -> str:
                text = ""
                for number, part in enumerate(client.completions.create(
                    model=NAME, prompt=PROMPTS[at], max_tokens=40, seed=at, stream=True, **WILD
                )):  # fmt: skip
                    text += part.choices[0].text
                    if at == 0 and number in (3, 9):
                        faults.kill(device)
                return text

            assert list(pool.map(streamed, range(4))) == wanted
            assert "pyhexagon_dsp_deaths_total 0.0" not in here.http().get("/metrics").text
