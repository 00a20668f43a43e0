"""Writes english.json: vectors of single English words from the sentence model all-MiniLM-L6-v2, reduced.

    python build.py MODEL_FOLDER   (needs numpy, tokenizers and safetensors; takes minutes)

Each word of the model's vocabulary is embedded alone, the vectors are reduced to their principal
components, weighed by how rare the word is (SIF, Arora et al. 2017, with the rank in the vocabulary
as the rank in the language) and rounded to four bits a number with one factor a word.
"""

import base64
import json
import re
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

WORDS = 20_000
DIMENSIONS = 64
LAYERS, HEADS, HEAD_SIZE = 6, 12, 32
RARITY = 1e-4
LEVELS = 7

folder = Path(sys.argv[1])
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.no_padding()
weights = {name: value.astype(np.float32) for name, value in load_file(folder / "model.safetensors").items()}


def linear(x, name):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def normalize(x, name):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attend(x, layer):
    texts, tokens, size = x.shape

    def split(part):
        projected = linear(x, f"{layer}.attention.self.{part}")
        return projected.reshape(texts, tokens, HEADS, HEAD_SIZE).transpose(0, 2, 1, 3)

    shares = softmax(split("query") @ split("key").transpose(0, 1, 3, 2) / HEAD_SIZE**0.5)
    joined = (shares @ split("value")).transpose(0, 2, 1, 3).reshape(texts, tokens, size)
    return linear(joined, f"{layer}.attention.output.dense")


def embed(ids):
    """Returns the normalized mean over the tokens, for texts of equal length."""
    positions = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    kinds = weights["embeddings.token_type_embeddings.weight"][0]
    x = weights["embeddings.word_embeddings.weight"][ids] + positions + kinds
    x = normalize(x, "embeddings.LayerNorm")
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        x = normalize(x + attend(x, layer), f"{layer}.attention.output.LayerNorm")
        inner = gelu(linear(x, f"{layer}.intermediate.dense"))
        x = normalize(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean = x.mean(1)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


by_id = sorted((number, word) for word, number in tokenizer.get_vocab().items())
words = [word for _, word in by_id if re.fullmatch(r"[a-z]{2,}", word)][:WORDS]
ids = np.array([tokenizer.encode(word).ids for word in words])
vectors = np.concatenate([embed(ids[at : at + 64]) for at in range(0, len(ids), 64)])

centred = vectors - vectors.mean(0)
_, _, components = np.linalg.svd(centred, full_matrices=False)
frequency = 1 / np.arange(1, len(words) + 1)
rarity = RARITY / (RARITY + frequency / frequency.sum())
reduced = centred @ components[:DIMENSIONS].T * rarity[:, None]

factors = np.abs(reduced).max(1) / LEVELS
numbers = np.round(reduced / factors[:, None]).astype(np.int8) + LEVELS + 1
pairs = (numbers[:, 0::2] | numbers[:, 1::2] << 4).astype(np.uint8)
bytes_of_factors = np.maximum(1, np.round(factors / factors.max() * 255)).astype(np.uint8)

(Path(__file__).parent / "english.json").write_text(
    json.dumps(
        {
            "dimensions": DIMENSIONS,
            "words": " ".join(words),
            "factors": base64.b64encode(bytes_of_factors.tobytes()).decode(),
            "vectors": base64.b64encode(pairs.tobytes()).decode(),
        },
    )
    + "\n"
)
