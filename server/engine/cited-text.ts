import type { EngineEvent, EnginePassage } from './engine.ts';

/**
 * Reads what a model writes: text, with its sources as `[[2|words of passage 2]]` behind each statement. A source leaves only when
 * its words stand in that passage; the marks themselves never do. `[[none]]` says that no passage answers.
 */

export type CitedPiece = Extract<EngineEvent, { type: 'text' | 'citation' }> | { readonly type: 'none' };

type Place = { readonly start: number; readonly end: number };

const START: Place = { start: 0, end: 0 };
const MARK_CHARS_MAX = 1500;
const CITATIONS_MAX = 50;
const DELTA_CHARS_MAX = 8000;

export class CitedText {
  /** The text that has left so far. */
  said = '';
  /** Sources that could not be verified. */
  dropped = 0;
  readonly #passages: readonly EnginePassage[];
  #held = '';
  #cited = 0;
  #last: Place = START;

  constructor(passages: readonly EnginePassage[]) {
    this.#passages = passages;
  }

  feed(text: string): CitedPiece[] {
    this.#held += text;
    return [...this.#read(false)];
  }

  /** What was held back because it might have become a mark. */
  end(): CitedPiece[] {
    return [...this.#read(true)];
  }

  *#say(given: string): Generator<CitedPiece> {
    // Blank lines before the first word are no part of an answer.
    const text = this.said === '' ? given.trimStart() : given;
    for (let at = 0; at < text.length; ) {
      const delta = text.slice(at, safeEnd(text, at + DELTA_CHARS_MAX));
      at += delta.length;
      this.said += delta;
      yield { type: 'text', delta };
    }
  }

  *#mark(inside: string): Generator<CitedPiece> {
    const source = /^\s*(?:passage\s*)?(\d{1,3})\s*\|([\s\S]+)$/i.exec(inside);
    const passage = source ? this.#passages[Number(source[1]) - 1] : undefined;
    const quote = source && passage ? verbatim(source[2]!, passage.text) : undefined;
    if (!passage || quote === undefined || this.#cited === CITATIONS_MAX) {
      this.dropped += 1;
      return;
    }
    this.#cited += 1;
    this.#last = statementBefore(this.said, this.#last);
    yield { type: 'citation', passage, quote, ...this.#last };
  }

  *#read(isLast: boolean): Generator<CitedPiece> {
    for (;;) {
      const open = this.#held.indexOf('[[');
      if (open < 0) break;
      const close = this.#held.indexOf(']]', open + 2);
      if (close < 0 && !isLast && this.#held.length - open <= MARK_CHARS_MAX) break;
      const inside = close < 0 ? '' : this.#held.slice(open + 2, close);
      const kind = close < 0 ? 'text' : kindOf(inside);
      if (kind === 'text') {
        // Cut off by the end it would be a torn mark; otherwise double brackets are just what the text is about.
        const isTorn = close < 0 && isLast;
        yield* this.#say(isTorn ? this.#held.slice(0, open).trimEnd() : this.#held.slice(0, open + 2));
        this.#held = isTorn ? '' : this.#held.slice(open + 2);
        continue;
      }
      yield* this.#say(this.#held.slice(0, blanksBefore(this.#held, open)));
      this.#held = this.#held.slice(close + 2);
      if (kind === 'none') yield { type: 'none' };
      else yield* this.#mark(inside);
    }
    const keep = isLast ? this.#held.length : heldFrom(this.#held);
    yield* this.#say(isLast ? this.#held.toWellFormed() : this.#held.slice(0, keep));
    this.#held = isLast ? '' : this.#held.slice(keep);
  }
}

function kindOf(inside: string): 'none' | 'source' | 'text' {
  if (/^\s*none\s*$/i.test(inside)) return 'none';
  return /^\s*(?:passage\s*)?\d{1,3}\s*(?:\||$)/i.test(inside) ? 'source' : 'text';
}

/** Where a mark may begin that is not whole yet, with the blanks before it. */
function heldFrom(text: string): number {
  const open = text.indexOf('[[');
  const until = open >= 0 ? open : text.endsWith('[') ? text.length - 1 : text.length;
  return safeEnd(text, blanksBefore(text, until));
}

/** Where the blanks begin that stand before this place. */
function blanksBefore(text: string, until: number): number {
  let at = until;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at -= 1;
  return at;
}

/** Never between the halves of a character. */
function safeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end <= text.length && unit >= 0xd800 && unit <= 0xdbff ? end - 1 : Math.min(end, text.length);
}

const QUOTE_CHARS_MIN = 8;
/** Scripts that say in a character what others say in a word. */
const DENSE_CHARS_MIN = 3;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** The words as they stand in the passage; undefined when they do not. Only blanks and marks around them may differ. */
function verbatim(given: string, text: string): string | undefined {
  const quote = given
    .trim()
    .replace(/^["'“”„«»「」]+|["'“”„«»「」]+$/gu, '')
    .trim();
  if (quote.length < (DENSE.test(quote) ? DENSE_CHARS_MIN : QUOTE_CHARS_MIN)) return undefined;
  if (text.includes(quote)) return quote;
  const words = quote.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(words.join('\\s+'), 'u').exec(text)?.[0];
}

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** The sentence that ends here, back to the last source or line; after a second mark in a row the same one again. */
function statementBefore(said: string, last: Place): Place {
  const end = said.trimEnd().length;
  const from = Math.max(last.end, said.lastIndexOf('\n', end - 1) + 1);
  const range = said.slice(from, end);
  if (!/[\p{L}\p{N}]/u.test(range)) return last.end > 0 ? last : { start: 0, end };
  let start = from;
  for (const { segment, index } of sentences.segment(range)) {
    if (/[\p{L}\p{N}]/u.test(segment)) start = from + index;
  }
  // What stood between the last source and this statement, or the mark of a list, is no part of it.
  const blank = /^(?:[\s.,;:!?。、，；！？*•-]|\d{1,2}[.)]\s)*/u.exec(said.slice(start, end))![0];
  return { start: start + blank.length, end };
}
