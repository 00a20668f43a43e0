/**
 * A range that was copied unchanged: its start in the input, its start in the output, and its end
 * in the input.
 */
type CopiedRange = { readonly inputStart: number; readonly outputStart: number; inputEnd: number };

/** Maps offsets of an input text to the output that was made from it, piece by piece. */
export class OffsetMap {
  /** Numbers of characters read and written so far. */
  consumed = 0;
  produced = 0;
  /** Most texts have a single range, kept outside the array to save memory. */
  #lastRange: CopiedRange | undefined;
  #earlierRanges: CopiedRange[] | undefined;

  add(consumed: number, produced: number, isCopied: boolean): void {
    const last = this.#lastRange;
    if (isCopied && last?.inputEnd === this.consumed) last.inputEnd += consumed;
    else if (isCopied) {
      if (last && this.#earlierRanges) this.#earlierRanges.push(last);
      else if (last) this.#earlierRanges = [last];
      this.#lastRange = {
        inputStart: this.consumed,
        outputStart: this.produced,
        inputEnd: this.consumed + consumed,
      };
    }
    this.consumed += consumed;
    this.produced += produced;
  }

  /** An offset inside a replaced part maps to the start of its replacement. */
  toOutputOffset(offset: number): number {
    if (offset >= this.consumed) return this.produced;
    const range = this.#findRange(offset);
    return range ? range.outputStart + Math.min(offset, range.inputEnd) - range.inputStart : 0;
  }

  #findRange(offset: number): CopiedRange | undefined {
    if (this.#lastRange && this.#lastRange.inputStart <= offset) return this.#lastRange;
    const before = this.#earlierRanges ?? [];
    let low = 0;
    let high = before.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before[middle]!.inputStart <= offset) low = middle + 1;
      else high = middle;
    }
    return before[low - 1];
  }
}
