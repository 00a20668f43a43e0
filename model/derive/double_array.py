"""Builds a trie as a double array, in the units of Darts-clone that sentencepiece's charsmap has, too.

A unit has 32 bits. One with the highest bit set is a leaf, and its other bits are the value. Any other one has the byte that leads to
it in bits 0 to 7, in bit 8 whether a key ends here, and in bits 10 to 30 an offset: the leaf is at `index ^ offset`, the child for
a byte at `index ^ offset ^ byte`.
"""

import numpy as np

BLOCK = 256
LEAF = 1 << 31
"""A free unit looks like a leaf, which no byte leads to."""
FREE = LEAF
OFFSET_MAX = 1 << 21
"""Nodes with many children look for room only in the last blocks; the earlier ones are nearly full."""
BLOCKS_SEARCHED = 16


def build_double_array(keys: dict[bytes, int]) -> np.ndarray:
    return _Builder(sorted(keys.items())).build()


class _Builder:
    def __init__(self, entries: list[tuple[bytes, int]]) -> None:
        self.entries = entries
        self.units: list[int] = []
        self.is_free = bytearray()
        self.is_offset = bytearray()
        self.first_free = 0

    def build(self) -> np.ndarray:
        self.add_block()
        self.take(0)
        self.units[0] = 0
        # Each task: the index of a node, the range of entries below it, the length of their common prefix.
        tasks = [(0, 0, len(self.entries), 0)]
        while tasks:
            tasks.extend(reversed(self.add_children(*tasks.pop())))
        return np.array(self.units, "<u4")

    def add_children(self, node: int, start: int, end: int, depth: int) -> list[tuple[int, int, int, int]]:
        value = None
        if len(self.entries[start][0]) == depth:
            value = self.entries[start][1]
            start += 1
        groups: list[tuple[int, int, int]] = []
        while start < end:
            byte = self.entries[start][0][depth]
            last = start + 1
            while last < end and self.entries[last][0][depth] == byte:
                last += 1
            groups.append((byte, start, last))
            start = last
        labels = ([0] if value is not None else []) + [byte for byte, _, _ in groups]
        base = self.find_base(labels)
        self.is_offset[base] = 1
        offset = node ^ base
        if offset >= OFFSET_MAX:
            raise ValueError("the trie is too large for the offsets of its units")
        self.units[node] |= offset << 10
        if value is not None:
            self.units[node] |= 1 << 8
            self.take(base)
            self.units[base] = LEAF | value
        for byte, _, _ in groups:
            self.take(base ^ byte)
            self.units[base ^ byte] = byte
        return [(base ^ byte, first, last, depth + 1) for byte, first, last in groups]

    def find_base(self, labels: list[int]) -> int:
        size = len(self.units)
        start = self.first_free if len(labels) == 1 else max(self.first_free, size - BLOCKS_SEARCHED * BLOCK)
        slot = self.is_free.find(1, start)
        while slot >= 0:
            base = slot ^ labels[0]
            if not self.is_offset[base] and all(self.is_free[base ^ label] for label in labels):
                return base
            slot = self.is_free.find(1, slot + 1)
        self.add_block()
        return size

    def add_block(self) -> None:
        self.units.extend([FREE] * BLOCK)
        self.is_free.extend(b"\x01" * BLOCK)
        self.is_offset.extend(bytes(BLOCK))

    def take(self, index: int) -> None:
        self.is_free[index] = 0
        if index == self.first_free:
            following = self.is_free.find(1, index)
            self.first_free = following if following >= 0 else len(self.units)
