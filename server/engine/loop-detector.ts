/** Notices a model that goes round in circles: the same statements three times in a row. */

const TIMES = 3;
/** Short lines may repeat, such as "Press Enter." in the steps of a procedure. */
const CHARS_MIN = 60;
/** How many statements may alternate. */
const PERIOD_MAX = 4;
const STATEMENTS_KEPT = 16;
const LIST_MARK = /^(?:[-*•]|\d{1,3}[.)])\s+/;

export class LoopDetector {
  #statements: string[] = [];

  /** Returns whether the answer has begun to repeat itself with this statement. */
  add(statement: string): boolean {
    if (statement === '') return false;
    this.#statements.push(statement.replace(LIST_MARK, '').toLowerCase());
    if (this.#statements.length > STATEMENTS_KEPT) this.#statements.shift();
    for (let period = 1; period <= PERIOD_MAX; period++) {
      const repeated = this.#countRepeated(period);
      const chars = this.#statements.slice(-repeated).join('').length;
      if (repeated >= TIMES * period && chars >= CHARS_MIN) return true;
    }
    return false;
  }

  /** Counts the statements at the end that repeat with a period. */
  #countRepeated(period: number): number {
    const all = this.#statements;
    let count = Math.min(period, all.length);
    while (count < all.length && all.at(-count - 1) === all.at(-count - 1 + period)) count += 1;
    return count;
  }
}
