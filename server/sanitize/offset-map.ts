/**
 * A range that was copied unchanged: its start in the input, its start in the output, and its end
 * in the input.
 */
type Stretch = { readonly from: number; readonly to: number; ends: number };

/** Maps offsets of an input text to the output that was made from it, piece by piece. */
export class OffsetMap {
  /** Consumed input and produced output so far. */
  took = 0;
  gave = 0;
  /** Most texts have a single range, kept outside the array to save memory. */
  #last: Stretch | undefined;
  #before: Stretch[] | undefined;

  add(took: number, gave: number, isSame: boolean): void {
    const last = this.#last;
    if (isSame && last?.ends === this.took) last.ends += took;
    else if (isSame) {
      if (last && this.#before) this.#before.push(last);
      else if (last) this.#before = [last];
      this.#last = { from: this.took, to: this.gave, ends: this.took + took };
    }
    this.took += took;
    this.gave += gave;
  }

  /** An offset inside a replaced part maps to the start of its replacement. */
  at(place: number): number {
    if (place >= this.took) return this.gave;
    const stretch = this.#stretchAt(place);
    return stretch ? stretch.to + Math.min(place, stretch.ends) - stretch.from : 0;
  }

  #stretchAt(place: number): Stretch | undefined {
    if (this.#last && this.#last.from <= place) return this.#last;
    const before = this.#before ?? [];
    let low = 0;
    let high = before.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before[middle]!.from <= place) low = middle + 1;
      else high = middle;
    }
    return before[low - 1];
  }
}
