/** A stretch that was left as it is: where it begins, where that is in what came of it, and where it ends. */
type Stretch = { readonly from: number; readonly to: number; ends: number };

/** Where a place of one text stands in the text that was made of it, piece by piece. */
export class OffsetMap {
  /** How much was taken so far, and how much came of it. */
  took = 0;
  gave = 0;
  /** Most texts are one stretch, which has a place of its own. */
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

  /** A place inside something that was replaced is the beginning of what replaces it. */
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
