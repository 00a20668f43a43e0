/**
 * Separates the text of a model from its marks: `[[2|words of passage 2]]` or `[[page|words]]` behind a statement, `[[none]]`,
 * `[[ask]]` and `[[person]]`. Models also write `[2]`, `[[2]]`, `[2|words]`, `[[1, 2|words]]`, `【2†source】` and the like, so these
 * are read as marks too. A mark never becomes text.
 */

/** A claim that the statement before it comes from these passages, the page, or wherever its words stand. */
export type SourceMark = { type: 'source'; numbers: readonly number[]; isPage: boolean; words: string };

export type MarkToken =
  | { type: 'text'; text: string }
  | { type: 'none' }
  | { type: 'person' }
  | { type: 'ask' }
  | SourceMark;

const MARK_CHARS_MAX = 1500;
const SINGLE_CHARS_MAX = 400;

type Brackets = { open: string; close: string; charsMax: number };
const DOUBLE: Brackets = { open: '[[', close: ']]', charsMax: MARK_CHARS_MAX };
const SINGLE: Brackets = { open: '[', close: ']', charsMax: SINGLE_CHARS_MAX };
const LENTICULAR: Brackets = { open: '【', close: '】', charsMax: SINGLE_CHARS_MAX };

export class MarkReader {
  #held = '';
  /** Whether a mark began with three brackets, so that a third one may end it. */
  #skipsBracket = false;
  #ticks = 0;
  #lastChar = '';

  feed(text: string): MarkToken[] {
    this.#held += text;
    return [...this.#read(false)];
  }

  /** Returns what was held back as a possible mark. */
  end(): MarkToken[] {
    return [...this.#read(true)];
  }

  *#read(isLast: boolean): Generator<MarkToken> {
    while (this.#held !== '') {
      if (this.#skipsBracket) {
        this.#skipsBracket = false;
        if (this.#held.startsWith(']')) this.#held = this.#held.slice(1);
      }
      const open = this.#held.search(/[[【]/);
      yield* this.#emitText(open < 0 ? this.#held.length : open);
      if (open < 0 || (!isLast && this.#held.length < 3)) return;
      const isTriple = this.#held.startsWith('[[[');
      if (isTriple) this.#held = this.#held.slice(1);
      const brackets = pickBrackets(this.#held);
      const close = findClose(this.#held, brackets);
      if (close === undefined && !isLast) {
        if (isTriple) this.#held = `[${this.#held}`;
        return;
      }
      yield* this.#readMark(brackets, close ?? -1, isLast);
      this.#skipsBracket = isTriple;
    }
  }

  /** Reads the mark or the ordinary bracket at the beginning of the held text. @param close -1 when it is not closed */
  *#readMark({ open, close: closing }: Brackets, close: number, isLast: boolean): Generator<MarkToken> {
    if (close < 0) {
      const label = /^(?:\[+|【)\s*(?:(?:passage\s*)?\d{1,3}|page|n)\s*[|:†]/i.exec(this.#held)?.[0];
      const isCutOff = isLast && (open === DOUBLE.open || label !== undefined);
      if (isCutOff) this.#held = '';
      else if (label === undefined) yield* this.#emitText(open.length);
      else this.#held = this.#held.slice(label.length);
      return;
    }
    const body = this.#held.slice(open.length, close);
    const tokens = this.#isIndex(open, body) ? undefined : readBody(body, open === DOUBLE.open);
    if (!tokens) {
      yield* this.#emitText(open.length);
      return;
    }
    this.#held = this.#held.slice(close + closing.length);
    yield* tokens;
  }

  /** Whether brackets in code hold an index, as in `list[1]`. */
  #isIndex(open: string, body: string): boolean {
    return open === SINGLE.open && this.#ticks % 2 === 1 && /\S/.test(this.#lastChar) && /^\d+$/.test(body);
  }

  *#emitText(length: number): Generator<MarkToken> {
    if (length === 0) return;
    const text = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    this.#ticks += text.split('`').length - 1;
    this.#lastChar = text.at(-1)!;
    yield { type: 'text', text };
  }
}

function pickBrackets(text: string): Brackets {
  if (text.startsWith(DOUBLE.open)) return DOUBLE;
  return text.startsWith(SINGLE.open) ? SINGLE : LENTICULAR;
}

/** Returns the offset of the closing bracket, -1 when there can be none, undefined while it may still arrive. */
function findClose(text: string, { open, close, charsMax }: Brackets): number | undefined {
  const at = text.indexOf(close, open.length);
  const body = text.slice(open.length, at < 0 ? undefined : at);
  const isBroken = body.length > charsMax || (open !== DOUBLE.open && /[\n[【]/.test(body));
  if (isBroken) return -1;
  return at < 0 ? undefined : at;
}

const WORD_MARK = /^\s*(\/?)\s*(none|person|ask)\s*(?:[.:|!,-]\s*([\s\S]*))?$/i;
const SOURCE =
  /^\s*(?:(?:passages?|sources?|data)\s*)?(?:(?<page>page)|n|\^?(?<numbers>\d{1,3}(?:\s*(?:[,;&–-]|and)\s*\d{1,3})*))\s*(?:[|:†](?<words>[\s\S]*))?$/iu;
const OTHER_LABEL = /^[^|\n]{0,80}\|(?!\|)(?<words>[\s\S]+)$/u;

/** Returns what brackets with this text mean; undefined for ordinary brackets. */
function readBody(body: string, isDouble: boolean): MarkToken[] | undefined {
  const [, slash, word, rest = ''] = WORD_MARK.exec(body) ?? [];
  if (word !== undefined && (isDouble || rest === '')) {
    if (slash) return [];
    const type = word.toLowerCase() as 'none' | 'person' | 'ask';
    if (type !== 'ask') return [{ type }];
    return rest === '' ? [{ type: 'ask' }] : [{ type: 'ask' }, { type: 'text', text: rest }];
  }
  const source = SOURCE.exec(body)?.groups;
  if (source && (isDouble || isSourceInSingle(source))) return [toSourceMark(source)];
  if (!isDouble) return undefined;
  const labelled = OTHER_LABEL.exec(body)?.groups;
  if (labelled) return [toSourceMark(labelled)];
  // Words alone were meant as a mark or as a link; they can be read.
  return /^\p{L}/u.test(body) ? [{ type: 'text', text: body }] : undefined;
}

/** Tells `[2]` and `[2|words]` from `[n]` and `[10:30]`. */
function isSourceInSingle({ numbers, page, words }: Partial<Record<string, string>>): boolean {
  return words === undefined ? numbers !== undefined || page !== undefined : /\p{L}/u.test(words);
}

function toSourceMark({ numbers = '', page, words = '' }: Partial<Record<string, string>>): SourceMark {
  const listed = (numbers.match(/\d+/g) ?? []).map(Number);
  return { type: 'source', numbers: listed, isPage: page !== undefined, words };
}
