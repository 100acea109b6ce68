# SPDX-License-Identifier: MIT
"""Images in messages: tokens around them, prefix caching, sharing messages with text, and what cannot be."""

from __future__ import annotations

import base64
import io
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Type
from PIL import Image

from llm import published, tiny, tiny_qwen35, vision_files
from pyhexagon import LLM, ArgumentError, Device, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.pages import bits_of_tokens
from pyhexagon.llm import language_model
from pyhexagon.llm.engine.embeddings import EmbeddingTable
from pyhexagon.llm.engine.sequence import n_common
from pyhexagon.llm.files.weights import EMBEDDING, as_float32
from pyhexagon.llm.vision.kinds import KINDS as SUPPORTED
from pyhexagon.llm.vision.messages import MARK, cut, has_images
from pyhexagon.llm.vision.vision import ImagesTooLongError

TEMPLATE = "{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}assistant:"
PICTURE = vision_files.picture(40, 24)
OTHER = vision_files.picture(40, 24, seed=5)
VISION = ["<|vision_start|>", "<|vision_end|>"]
SLICES = ["<image>", "</image>", "<slice>", "</slice>"]
MARKS = {
    "idefics3": ["\n\n", "<fake_token_around_image>", "<global-img>",
                 *(f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2))],
    "gemma3": ["<start_of_image>", "<end_of_image>"],
    "internvl": ["<img>", "</img>"],
    "glm4v": ["<|begin_of_image|>", "<|end_of_image|>"],
    "qwen2vl_merger": VISION,
    "qwen3vl_merger": VISION,
    "resampler": SLICES,
    "minicpmv4_6": SLICES,
    "lightonocr": ["<|im_start|>", "<|im_end|>"],
    "paddleocr": ["<|IMAGE_START|>", "<|IMAGE_END|>"],
}  # fmt: skip
PAIRS = [
    ("idefics3", "llama"), ("gemma3", "gemma3"), ("internvl", "qwen2"), ("mlp", "llama"),
    ("qwen2vl_merger", "qwen2vl"), ("qwen3vl_merger", "qwen3vl"), ("qwen3vl_merger", "qwen3vlmoe"),
    ("qwen3vl_merger", "qwen35"), ("gemma4v", "gemma4"), ("lightonocr", "qwen3"), ("paddleocr", "paddleocr"),
    ("resampler", "qwen2"), ("mlp", "granite"), ("minicpmv4_6", "qwen35"), ("glm4v", "glm4"),
]  # fmt: skip
TEXT_MODELS = dict(reversed(PAIRS))  # the first of each kind
OPTIONS: dict[str, Any] = {
    **tiny.TINY, "qwen2vl": {"qkv_bias": True}, "qwen3vl": {"qk_norm": True, "layers": 3},
    "qwen3vlmoe": {"qk_norm": True, "layers": 3, "experts": 4}, "paddleocr": {}, "granite": {},
}  # fmt: skip


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("cpu") as device:
        yield device


def write(folder: Path, kind: str, name: str | None = None, **options: Any) -> tuple[Path, Path]:
    """Write a language model with the marks of a kind in its vocabulary, and its mmproj file.

    Args:
        name: of the language model's architecture, or the usual one.
    """
    name, text = name or TEXT_MODELS[kind], folder / "text.gguf"

    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(TEMPLATE)
        tokens = writer.kv_data[0]["tokenizer.ggml.tokens"].value
        types = writer.kv_data[0]["tokenizer.ggml.token_type"].value
        for at, mark in enumerate(MARKS.get(kind, []), len(tokens) - 20):
            tokens[at], types[at] = mark, gguf.TokenType.CONTROL
        if name == "granite":
            for add, value in (
                (writer.add_embedding_scale, 5.0), (writer.add_residual_scale, 0.5), (writer.add_logit_scale, 0.25),
                (writer.add_attention_scale, 0.1),
            ):  # fmt: skip
                add(value)
        if SUPPORTED[kind].has_places and name != "qwen35":
            writer.add_rope_dimension_sections([6, 5, 5, 0])

    if name == "qwen35":  # whose encoders have no deepstack
        tiny_qwen35.write(text, edit=edit, tied=False)
        return text, vision_files.write(folder / "mmproj.gguf", kind, deepstack=())
    if name == "glm4":
        header = published.with_key(published.named("GLM-4 32B 0414"), "rope.dimension_sections", [6, 5, 5, 0])
        published.write(text, header)
        return text, vision_files.write(folder / "mmproj.gguf", kind, projection=256)
    if name == "gemma4":  # E2B: with per-layer embeddings, and keys and values that layers share
        published.write(text, published.named("Gemma 4 E2B"))
        return text, vision_files.write(folder / "mmproj.gguf", kind)
    tiny.write(text, name, edit=edit, **{**OPTIONS[name], "tied": False, **options})
    return text, vision_files.write(folder / "mmproj.gguf", kind)


def content(*parts: Any) -> list[dict[str, Any]]:
    """Return a message of texts and pictures."""
    listed = [{"type": "text", "text": one} if isinstance(one, str) else {"type": "image", "image": one}
              for one in parts]  # fmt: skip
    return [{"role": "user", "content": listed}]


def names(llm: LLM, tokens: list[int]) -> list[str]:
    """Return the names of tokens, "." for those of images."""
    return ["." if token < 0 else llm.tokenizer.name(token) for token in tokens]


def answer(llm: LLM, messages: list[dict[str, Any]], n: int = 6) -> list[tuple[int, float]]:
    return [(chunk.token, chunk.logprob) for chunk in llm.chat(messages, n, 0.0)]


def test_the_tokens_around_tiles(device: Device, tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "idefics3")
    with LLM(text, mmproj=mmproj, device=device) as llm:
        assert llm.has_vision
        tokens, embeddings = llm.chat_prompt(content("the", PICTURE, "an"))
    shown = "".join(names(llm, tokens))
    tile = "." * 16
    rows = [
        "".join(f"<fake_token_around_image><row_{row}_col_{column}>{tile}" for column in (1, 2)) for row in (1, 2)
    ]
    begin, end = shown.index("<fake"), shown.rindex("<fake_token_around_image>")
    inner = shown[begin:end].replace("<0x0A>", "\n")
    assert inner == "\n".join(rows) + f"\n\n<fake_token_around_image><global-img>{tile}"
    assert shown[:begin].endswith("the")
    assert set(embeddings.rows) == {token for token in tokens if token < 0}


def test_the_tokens_around_slices(device: Device, tmp_path: Path) -> None:
    """MiniCPM-V: versions 2.6 and later, then 2.5; a picture that is cut, and one that is not."""
    text, mmproj = write(tmp_path, "resampler")
    tile, line = "." * 12, "<0x0A>"
    with LLM(text, mmproj=mmproj, device=device) as llm:
        cut_one = "".join(names(llm, llm.chat_prompt(content("the", vision_files.picture(60, 33), "an"))[0]))
        whole = "".join(names(llm, llm.chat_prompt(content("the", vision_files.picture(30, 20), "an"))[0]))
    part = f"<slice>{tile}</slice>"
    assert f"the<image>{tile}</image>{part}{part}" in cut_one
    assert f"the<image>{tile}</image>" in whole
    assert "slice" not in whole
    old = vision_files.write(tmp_path / "old.gguf", "resampler", keys={"clip.minicpmv_version": 2})
    with LLM(text, mmproj=old, device=device) as llm:
        shown = "".join(names(llm, llm.chat_prompt(content("the", vision_files.picture(60, 60), "an"))[0]))
    image = f"<image>{tile}</image>"
    assert f"the{image}<slice>{image}{image}{line}{image}{image}</slice>" in shown


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_answers_depend_on_the_picture_and_not_on_how_they_are_computed(
    device: Device, tmp_path: Path, kind: str, name: str
) -> None:
    text, mmproj = write(tmp_path, kind, name)
    messages, others = content("an ", PICTURE, " he"), content("an ", OTHER, " he")
    with LLM(text, mmproj=mmproj, device=device, n_sequences=4, chat_template=TEMPLATE) as llm:
        first = answer(llm, messages)
        other = answer(llm, others)
        n_before = llm.work[0]
        assert answer(llm, messages) == first  # from the cache
        n_cached = llm.work[0] - n_before
        llm.clear_cache()
        n_before = llm.work[0]
        plain = llm.generate("the he in the an the he", 6, 0.0)
        streams = [llm.chat(messages, 6, 0.0), llm.stream("the he in the an the he", 6, 0.0), llm.chat(others, 6, 0.0)]
        together = [[(chunk.token, chunk.logprob) for chunk in stream] for stream in streams]
        assert together[0] == first
        assert [token for token, _ in together[1]] == list(plain.tokens)
        assert together[2] == other
        assert n_cached <= 7  # a message for each token, and none for the picture
    assert first != other
    assert [logprob for _, logprob in first] != [logprob for _, logprob in other]
    with LLM(text, mmproj=mmproj, device=device, n_batch=5, chat_template=TEMPLATE) as llm:  # in other chunks
        assert answer(llm, messages) == first


def test_several_pictures_and_turns_share_their_prefix(device: Device, tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "internvl")
    messages = content("an ", PICTURE, " in ", OTHER)
    with LLM(text, mmproj=mmproj, device=device) as llm:
        tokens, embeddings = llm.chat_prompt(messages)
        said = answer(llm, messages)
        more = [*messages, {"role": "assistant", "content": "the"}, {"role": "user", "content": "he"}]
        again, _ = llm.chat_prompt(more)
        assert n_common(tokens, again) > len(tokens) - 20
        n_before = llm.work[0]
        answer(llm, more, 1)
        assert llm.work[0] - n_before < 6
        assert said
    assert len(embeddings.rows) == sum(token < 0 for token in tokens)


def test_rows_of_a_block_attend_to_each_other(device: Device, tmp_path: Path) -> None:
    """Gemma 3's: the first row of an image sees the last one. Other kinds' do not."""
    for kind in ("gemma3", "internvl"):
        (folder := tmp_path / kind).mkdir()
        text, mmproj = write(folder, kind)
        with LLM(text, mmproj=mmproj, device=device) as llm:
            tokens, embeddings = llm.chat_prompt(content("an ", PICTURE, " he"))
            first = next(at for at, token in enumerate(tokens) if token < 0)
            last = max(at for at, token in enumerate(tokens) if token < 0)
            results = []
            for step in (1, -1):
                rows = {**embeddings.rows, tokens[last]: embeddings.rows[tokens[last]][::step]}
                changed = type(embeddings)(rows, embeddings.blocks)
                llm.clear_cache()
                forward = llm._engine.forward(tokens[: last + 1], embeddings=changed)
                llm._engine.finish(forward)
                sequence = next(reversed(llm._core.kv_cache.idle))
                layer = llm._core.stages.kv_layers[1]  # its keys depend on the attention of the layer before
                pages = sequence.pages if sequence.window is None else sequence.window  # Gemma's has a window
                results.append(page_bytes(layer, pages.pages[0], first))
            assert np.array_equal(results[0], results[1]) is (kind == "internvl")


def page_bytes(layer: Any, page: int, token: int) -> npt.NDArray[np.uint8]:
    """Return the bits of a page that belong to the tokens up to one."""
    mask = bits_of_tokens(layer.shape[1], layer.shape[2], "q8_0", token + 1)
    size = layer.nbytes // layer.shape[0]
    return np.array(layer.buffer.bytes[page * size : page * size + len(mask)]) & mask


def test_positions_of_rows_and_columns() -> None:
    """An image has one time, its rows and columns count from there, and text goes on behind its larger side."""
    table, chance = EmbeddingTable(), np.random.default_rng(0)
    wide = table.add(chance.standard_normal((6, 4)).astype(np.float32), b"a", is_causal=True, grid=(2, 3))
    tall = table.add(chance.standard_normal((2, 4)).astype(np.float32), b"b", is_causal=True, grid=(2, 1))
    got = table.embeddings().positions([5, 6, *wide, 7, *tall, *tall, 8])
    assert got[0].tolist() == [0, 1, *[2] * 6, 5, 6, 6, 8, 8, 10]
    assert got[1].tolist() == [0, 1, 2, 2, 2, 3, 3, 3, 5, 6, 7, 8, 9, 10]
    assert got[2].tolist() == [0, 1, 2, 3, 4, 2, 3, 4, 5, 6, 6, 8, 8, 10]
    assert got[3].tolist() == got[0].tolist()


def test_the_factor_on_embeddings_is_also_on_rows(device: Device, tmp_path: Path) -> None:
    """Granite's: rows that are embeddings of tokens give what the tokens give."""
    text, _ = write(tmp_path, "mlp", "granite")
    with LLM(text, device=device) as llm, GGUFFile(text) as file:
        table, tokens = EmbeddingTable(), [270, 280, 290]
        ids = table.add(as_float32(file, EMBEDDING)[tokens], b"a", is_causal=True)
        wanted = llm._engine.forward(tokens)
        llm._engine.finish(wanted)
        forward = llm._engine.forward(ids, embeddings=table.embeddings())
        llm._engine.finish(forward)
    assert np.array_equal(forward.logits, wanted.logits)


def test_deepstack_reaches_the_layers(device: Device, tmp_path: Path) -> None:
    """Rows for further layers count, and each for its own layer."""
    text, mmproj = write(tmp_path, "qwen3vl_merger")
    with LLM(text, mmproj=mmproj, device=device) as llm:
        tokens, embeddings = llm.chat_prompt(content("an ", PICTURE, " he"))
        width = llm._config.width
        results = []
        for order in ([0, 1, 2], [0, 2, 1], [0, 1, 1]):
            rows = {token: row.reshape(3, width)[order].reshape(-1) for token, row in embeddings.rows.items()}
            llm.clear_cache()
            forward = llm._engine.forward(tokens, embeddings=type(embeddings)(rows, {}, embeddings.grids))
            llm._engine.finish(forward)
            results.append(forward.logits.copy())
    assert all(len(row) == 3 * width for row in embeddings.rows.values())
    assert not np.allclose(results[0], results[1], atol=1e-3)
    assert not np.allclose(results[0], results[2], atol=1e-3)


def test_a_lost_device_computes_the_picture_again(tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "internvl")
    messages = content("an ", PICTURE, " he")
    with LLM(text, mmproj=mmproj, device="loopback") as llm:
        wanted = answer(llm, messages)
        llm.reopen()
        assert answer(llm, messages) == wanted


def test_what_cannot_be(device: Device, tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "internvl")
    with LLM(text, device=device) as llm:
        assert not llm.has_vision
        with pytest.raises(UnsupportedError, match="takes no images without an mmproj file"):
            llm.chat(content(PICTURE))
    other = vision_files.write(tmp_path / "other.gguf", "internvl", projection=96)
    with pytest.raises(ArgumentError, match="embeddings of 96, the language model's have 128"):
        LLM(text, mmproj=other, device=device)
    for name in ("qwen2vl_merger", "qwen3vl_merger"):
        other = vision_files.write(tmp_path / f"{name}.gguf", name)
        with pytest.raises(ArgumentError, match="is for a model with MROPE, and qwen2 has none"):
            LLM(text, mmproj=other, device=device)
    with pytest.raises(UnsupportedError, match="its architecture is 'qwen2'"):
        LLM(text, mmproj=text, device=device)
    with pytest.raises(ArgumentError, match="the vocabulary has no token"):
        LLM(text, mmproj=vision_files.write(tmp_path / "i.gguf", "idefics3"), device=device)
    with LLM(text, mmproj=mmproj, device=device) as llm:
        with pytest.raises(ArgumentError, match="nothing is fetched"):
            llm.chat([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a.b/c.png"}}]}])
        with pytest.raises(ArgumentError, match="expected a text or an image"):
            llm.chat([{"role": "user", "content": [{"type": "image", "image": PICTURE}, {"type": "audio"}]}])
        with pytest.raises(ArgumentError, match="there is no token -7"):
            llm.generate([1, -7], 1)
        with pytest.raises(ArgumentError, match="has no image"):
            llm.chat([{"role": "user", "content": [{"type": "image_url"}]}])


def test_the_mark_in_a_text_is_no_image(device: Device, tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "internvl")
    with LLM(text, mmproj=mmproj, device=device) as llm:
        tokens, _ = llm.chat_prompt(content(f"an {MARK}", PICTURE))
        assert sum(token < 0 for token in tokens) == len({token for token in tokens if token < 0}) == 16 * 3


def test_messages_are_cut_as_llama_cpp_cuts_them() -> None:
    parts = content("a", "b", PICTURE, "c", OTHER, PICTURE, "d", "e")
    messages, images = cut(parts)
    assert messages == [{"role": "user", "content": f"a\nb{MARK}c{MARK}{MARK}d\ne"}]
    assert [image is one for image, one in zip(images, (PICTURE, OTHER, PICTURE), strict=True)] == [True] * 3
    assert has_images(parts)
    assert not has_images([{"role": "user", "content": "a"}])
    assert not has_images("a")


def test_ids_are_those_of_the_content() -> None:
    chance = np.random.default_rng(1)
    rows = chance.standard_normal((5, 8)).astype(np.float32)
    one, two = EmbeddingTable(), EmbeddingTable()
    assert one.add(rows, b"a", is_causal=True) == two.add(rows, b"a", is_causal=False)
    assert not set(one.add(rows, b"b", is_causal=True)) & set(two.embeddings().rows)
    assert one.embeddings().blocks == {}
    assert sorted(two.embeddings().blocks.values()) == [1, 2, 3, 4, 5]
    assert all(-(1 << 31) <= token < 0 for token in one.embeddings().rows)


def test_a_data_url_and_types_of_weights(device: Device, tmp_path: Path) -> None:
    text, mmproj = write(tmp_path, "mlp", weights=Type.Q4_0)
    stream = io.BytesIO()
    Image.fromarray(PICTURE).save(stream, "PNG")
    url = "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()
    message = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]
    with LLM(text, mmproj=mmproj, device=device) as llm:
        assert answer(llm, message) == answer(llm, content(PICTURE))


def test_a_request_with_many_pictures_takes_the_memory_of_one(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, mmproj = write(tmp_path, "internvl")
    alive: list[weakref.ref[Any]] = []
    with LLM(text, 128, mmproj=mmproj, device=device) as llm:
        n_decoded = 0

        def decode(value: Any, **_options: Any) -> npt.NDArray[np.uint8]:
            nonlocal n_decoded
            n_decoded += 1
            assert sum(one() is not None for one in alive) < 2  # the one before, until this one is there
            assert not llm._lock.locked()  # steps of other requests run meanwhile
            picture = vision_files.picture(40, 24, seed=value)
            alive.append(weakref.ref(picture))
            return picture

        monkeypatch.setattr(language_model, "picture_of", decode)
        with pytest.raises(ImagesTooLongError, match=r"at least 1\d\d tokens .* the context has 128"):
            llm.chat(content(*range(60)), 4)
        assert n_decoded == 3  # of 48 tokens and marks each; nothing after the one that is too much
        assert llm.chat_prompt(content(1, "the", 2))[0]
    with pytest.raises(ArgumentError, match="wrote 1 of 2 images"), LLM(text, 128, mmproj=mmproj, device=device) as llm:
        llm.image_prompt(MARK, [1, 2])


@pytest.mark.parametrize("kind", ["internvl", "gemma3", "qwen3vl_merger"])
def test_a_saved_conversation_with_images_goes_on(device: Device, tmp_path: Path, kind: str) -> None:
    text, mmproj = write(tmp_path, kind)
    messages, saved = content("an ", PICTURE, " he ", OTHER), tmp_path / "saved.npz"
    more = [*messages, {"role": "assistant", "content": "the"}, {"role": "user", "content": "in an"}]
    with LLM(text, mmproj=mmproj, device=device) as llm:
        tokens, embeddings = llm.chat_prompt(messages)
        with pytest.raises(ArgumentError, match="there are 0 to"):
            llm.save(saved, tokens)
        llm.save(saved, tokens, embeddings=embeddings)
        llm.clear_cache()
        wanted = answer(llm, more)
    with LLM(text, mmproj=mmproj, device=device) as llm:
        assert llm.load(saved) == tokens
        prompt, embeddings = llm.chat_prompt(more)
        chunks = list(llm.stream(prompt, 6, 0.0, embeddings=embeddings))
        assert [(chunk.token, chunk.logprob) for chunk in chunks] == wanted
        assert chunks[0].cached_tokens >= max(at for at, token in enumerate(tokens) if token < 0)
    other = vision_files.write(tmp_path / "other.gguf", kind, weights=Type.Q8_0)
    for encoder in (other, None):
        with LLM(text, mmproj=encoder, device=device) as llm:
            with pytest.raises(ArgumentError, match="has images: expected the mmproj file with which it was saved"):
                llm.load(saved)
            assert answer(llm, [{"role": "user", "content": "he"}], 1)
