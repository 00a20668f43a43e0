import {
  isLinkLike,
  isOutsideLinks,
  MARKS_AFTER,
  MARKS_BEFORE,
  type PublishedText,
} from './published-text.ts';
import type { Piece } from './visible-text.ts';

export const LEFT_OUT = '…';

/** Longer words, link destinations and tags are always removed. */
const WORD_CHARS_MAX = 2048;
const TAG_CHARS_MAX = 300;

const NO_PIECES: Piece[] = [];

/** Position in the line: a link definition can only begin at its start. */
type Line = 'start' | 'label' | 'other';

/**
 * Filters an answer while it streams: keeps plain text, simple Markdown, and only those links,
 * images and tags that the passages contain.
 * It holds back only what may still become a link or tag; the output does not depend on chunk
 * boundaries. Removed parts leave a mark, so
 * that the text around them cannot join to form a link.
 */
export class AnswerFilter {
  /** Number of parts that were removed or neutralised. */
  dropped = 0;
  readonly #published: PublishedText;
  #text = '';
  #pieces: Piece[] = NO_PIECES;
  #line: Line = 'start';
  /** The part of the current word that was already emitted. */
  #wordSoFar = '';
  #swallowing = false;
  #lastSaid = '\n';

  constructor(published: PublishedText) {
    this.#published = published;
  }

  push(visible: string, isLast: boolean): readonly Piece[] {
    this.#text += visible;
    const pieces: Piece[] = [];
    this.#pieces = pieces;
    let at = 0;
    for (;;) {
      const took = at < this.#text.length ? this.#step(at, isLast) : 0;
      if (took === 0) break;
      at += took;
    }
    this.#text = this.#text.slice(at);
    this.#pieces = NO_PIECES;
    return pieces;
  }

  /**
   * Processes the text at a position and returns how much was consumed; zero when more input is
   * needed.
   */
  #step(at: number, isLast: boolean): number {
    const character = this.#text[at]!;
    const isOutside =
      isOutsideLinks(this.#text, at) || (character === '(' && this.#wordSoFar === '' && !this.#swallowing);
    if (!isOutside) return this.#word(at, isLast);
    this.#swallowing = false;
    this.#wordSoFar = '';
    if (character === '<') return this.#tag(at, isLast);
    if (character === ']') return this.#bracket(at, isLast);
    this.#track(character);
    return this.#keep(at, 1);
  }

  #keep(at: number, length: number): number {
    const gave = this.#text.slice(at, at + length);
    this.#lastSaid = gave.at(-1)!;
    const last = this.#pieces.at(-1);
    if (last && last.took === last.gave.length && !isMark(last))
      this.#pieces[this.#pieces.length - 1] = { took: last.took + length, gave: last.gave + gave };
    else this.#pieces.push({ took: length, gave });
    return length;
  }

  #replace(length: number, gave: string): number {
    this.#pieces.push({ took: length, gave });
    this.#lastSaid = gave.at(-1)!;
    this.dropped += 1;
    return length;
  }

  #track(character: string): void {
    if (character === '\n') this.#line = 'start';
    else if (this.#line === 'start' && character === '[') this.#line = 'label';
    else if (this.#line === 'start' && !/[\s>]/.test(character)) this.#line = 'other';
  }

  /** A list item may also start with a definition. */
  #trackWord(letters: string): void {
    if (this.#line === 'start' && /[^-*+\d.)]/.test(letters)) this.#line = 'other';
  }

  /** Words are emitted letter by letter until a character could turn them into a link. */
  #word(at: number, isLast: boolean): number {
    if (this.#swallowing) {
      const length = this.#endOfWord(at) - at;
      this.#pieces.push({ took: length, gave: '' });
      return length;
    }
    let place = at;
    while (place < this.#text.length && !isOutsideLinks(this.#text, place)) {
      const before = place === at ? this.#wordSoFar.at(-1) : this.#text[place - 1];
      if (couldJoin(before, this.#text[place]!)) break;
      place += 1;
    }
    if (place > at) {
      const letters = this.#text.slice(at, place);
      this.#trackWord(letters);
      this.#wordSoFar = (this.#wordSoFar + letters).slice(-WORD_CHARS_MAX - 1);
      return this.#keep(at, place - at);
    }
    const end = this.#endOfWord(at);
    if (end - at > WORD_CHARS_MAX) {
      this.#swallowing = true;
      this.#line = this.#line === 'start' ? 'other' : this.#line;
      return this.#replace(end - at, LEFT_OUT);
    }
    if (end === this.#text.length && !isLast) return 0;
    return this.#wholeWord(at, end);
  }

  #wholeWord(at: number, end: number): number {
    const whole = this.#wordSoFar + this.#text.slice(at, end);
    this.#wordSoFar = '';
    this.#line = this.#line === 'start' ? 'other' : this.#line;
    const core = whole.replace(MARKS_BEFORE, '').replace(MARKS_AFTER, '');
    if (whole.length <= WORD_CHARS_MAX && (!isLinkLike(core) || this.#published.holdsLink(core)))
      return this.#keep(at, end - at);
    const marks = MARKS_AFTER.exec(this.#text.slice(at, end))?.[0].length ?? 0;
    this.#replace(end - at - marks, LEFT_OUT);
    if (marks > 0) this.#keep(end - marks, marks);
    return end - at;
  }

  #endOfWord(from: number): number {
    let end = from;
    while (end < this.#text.length && !isOutsideLinks(this.#text, end)) end += 1;
    return end;
  }

  /**
   * Keeps a tag only if the passages contain it. Otherwise replaces its `<` and separates it from
   * the text before it.
   */
  #tag(at: number, isLast: boolean): number {
    if (at + 1 === this.#text.length) return isLast ? this.#keep(at, 1) : 0;
    this.#line = this.#line === 'start' ? 'other' : this.#line;
    if (!/[A-Za-z/!?]/.test(this.#text[at + 1]!)) return this.#keep(at, 1);
    if (!this.#published.holdsTag(this.#text.slice(at, at + 2)))
      return this.#replace(1, /\s/.test(this.#lastSaid) ? '‹' : ' ‹');
    const window = this.#text.slice(at, at + TAG_CHARS_MAX);
    const closes = window.indexOf('>');
    const opens = window.indexOf('<', 1);
    const isWhole = closes >= 0 && (opens < 0 || closes < opens);
    if (isWhole && this.#published.holdsTag(window.slice(0, closes + 1))) return this.#keep(at, closes + 1);
    const isOpen = closes < 0 && opens < 0 && window.length < TAG_CHARS_MAX;
    if (isOpen && !isLast) return 0;
    return this.#replace(1, /\s/.test(this.#lastSaid) ? '‹' : ' ‹');
  }

  #bracket(at: number, isLast: boolean): number {
    if (at + 1 === this.#text.length) return isLast ? this.#keep(at, 1) : 0;
    const follows = this.#text[at + 1];
    const took =
      follows === '('
        ? this.#destination(at, isLast)
        : follows === ':' && this.#line === 'label'
          ? this.#definition(at, isLast)
          : this.#keep(at, 1);
    if (took > 0) this.#line = 'other';
    return took;
  }

  /** A Markdown link or image: the label stays, the destination only if a passage contains it. */
  #destination(at: number, isLast: boolean): number {
    const end = this.#endOfDestination(at + 2);
    const length = end.at - at;
    if (!end.isSure && !isLast) return 0;
    if (end.closes && this.#published.holdsDestination(this.#text.slice(at + 2, end.at - 1)))
      return this.#keep(at, length);
    this.#keep(at, 1);
    this.#replace(length - 1, LEFT_OUT);
    return length;
  }

  /** Ends at the closing bracket, an empty line, or the end of the text. */
  #endOfDestination(from: number): { at: number; closes: boolean; isSure: boolean } {
    let depth = 1;
    const limit = Math.min(this.#text.length, from + WORD_CHARS_MAX);
    // Do not split a surrogate pair.
    const cut = /[\ud800-\udbff]/.test(this.#text[limit - 1] ?? '') ? limit - 1 : limit;
    for (let at = from; at < limit; at++) {
      const character = this.#text[at]!;
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      if (depth === 0) return { at: at + 1, closes: true, isSure: true };
      if (character === '\n' && this.#text[at - 1] === '\n')
        return { at: at - 1, closes: false, isSure: true };
    }
    return { at: cut, closes: false, isSure: limit === from + WORD_CHARS_MAX };
  }

  /** `[label]: address` at a line start defines a link that other text can use. */
  #definition(at: number, isLast: boolean): number {
    const [, gap = '', address = ''] = /^([ \t]*\n?[ \t]*)(\S*)/.exec(
      this.#text.slice(at + 2, at + 2 + WORD_CHARS_MAX),
    )!;
    const isOpen = at + 2 + gap.length + address.length === this.#text.length;
    if (isOpen && !isLast && gap.length + address.length < WORD_CHARS_MAX) return 0;
    const core = address.replace(MARKS_AFTER, '');
    if (this.#published.holdsDestination(core) || this.#published.holdsDestination(address))
      return this.#keep(at, 2);
    return this.#replace(2, '] :');
  }
}

/**
 * Whether the character could continue an address: letters after a full stop or colon, and
 * characters specific to addresses.
 */
function couldJoin(before: string | undefined, character: string): boolean {
  if ('/\\@&／＼＠'.includes(character)) return true;
  return before !== undefined && '.:．：'.includes(before) && !".:．：,;!?'*_~|)".includes(character);
}

function isMark({ gave }: Piece): boolean {
  return gave === LEFT_OUT || gave === '‹';
}

/** Plain words and punctuation, which cannot form a link, bracket or tag. */
const JUST_WORDS = /^(?:[^<\]/\\@&／＼＠.:．：]|[.:．：](?=[\s.:．：,;!?'*_~|)]|$))*$/;

/** Filters a complete text. */
export function filterAnswer(text: string, published: PublishedText): { text: string; dropped: number } {
  if (text.length <= WORD_CHARS_MAX && JUST_WORDS.test(text)) return { text, dropped: 0 };
  const filter = new AnswerFilter(published);
  const gave = filter.push(text, true).map((piece) => piece.gave);
  return { text: gave.join(''), dropped: filter.dropped };
}
