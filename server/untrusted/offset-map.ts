/** Where a place of one text stands in the text that was made of it, piece by piece. */
export type OffsetMap = {
  /** How much was taken so far, and how much came of it. */
  readonly took: number;
  readonly gave: number;
  add(took: number, gave: number, isSame: boolean): void;
  /** A place inside something that was replaced is the beginning of what replaces it. */
  at(place: number): number;
};

export function createOffsetMap(): OffsetMap {
  /** Beginnings of stretches that were left as they are. */
  const stretches: { from: number; to: number; ends: number }[] = [];
  const map = {
    took: 0,
    gave: 0,
    add(took: number, gave: number, isSame: boolean) {
      const last = stretches.at(-1);
      if (isSame && last?.ends === map.took) last.ends += took;
      else if (isSame) stretches.push({ from: map.took, to: map.gave, ends: map.took + took });
      map.took += took;
      map.gave += gave;
    },
    at(place: number): number {
      if (place >= map.took) return map.gave;
      let low = 0;
      let high = stretches.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (stretches[middle]!.from <= place) low = middle + 1;
        else high = middle;
      }
      const stretch = stretches[low - 1];
      if (!stretch) return 0;
      return stretch.to + Math.min(place, stretch.ends) - stretch.from;
    },
  };
  return map;
}
