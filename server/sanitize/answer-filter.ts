import { isLinkLike } from './links.ts';
import { isOutsideLinks, MARKS_AFTER, MARKS_BEFORE, type PublishedText } from './published-text.ts';
import type { Piece } from './visible-text.ts';

export const LEFT_OUT = '…';

/** Longer words, destinations and tags are never let through. */
const WORD_CHARS_MAX = 2048;
const TAG_CHARS_MAX = 300;

const NO_PIECES: Piece[] = [];

/** How far a line has come: only there, and after its first bracket, can a definition of a link begin. */
type Line = 'start' | 'label' | 'other';

/**
 * What may stay in an answer: plain words, simple Markdown, and only such links, images and tags as the passages hold. It works while the
 * text arrives: it holds back just what may still become a link or a tag, and however the text is cut, the same comes out.
 * What is left out leaves a mark, so that what stood around it can't grow together to a link.
 */
export class AnswerFilter {
  /** How much was left out or made harmless so far. */
  dropped = 0;
  readonly #published: PublishedText;
  #text = '';
  #pieces: Piece[] = NO_PIECES;
  #line: Line = 'start';
  /** The part of the word at hand that is already out. */
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

  /** Settles what stands at a place and answers how long it is; zero when more has to be known. */
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

  /** A list item may begin with a definition, too. */
  #trackWord(letters: string): void {
    if (this.#line === 'start' && /[^-*+\d.)]/.test(letters)) this.#line = 'other';
  }

  /** Words go out letter by letter until a mark comes that could join them to a link. */
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

  /** A tag stays only as the passages hold it; any other loses the sign that makes it one, and what it stood at stays apart from it. */
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

  /** A Markdown link or image: its label stays, its destination only when a passage holds it. */
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

  /** Up to the bracket that closes it, to an empty line, or to where the text ends. */
  #endOfDestination(from: number): { at: number; closes: boolean; isSure: boolean } {
    let depth = 1;
    const limit = Math.min(this.#text.length, from + WORD_CHARS_MAX);
    // A pair stays whole.
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

  /** `[label]: address` at the beginning of a line makes links elsewhere. */
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

/** Letters after a full stop or a colon, and signs that only addresses have inside a word. */
function couldJoin(before: string | undefined, character: string): boolean {
  if ('/\\@&／＼＠'.includes(character)) return true;
  return before !== undefined && '.:．：'.includes(before) && !".:．：,;!?'*_~|)".includes(character);
}

function isMark({ gave }: Piece): boolean {
  return gave === LEFT_OUT || gave === '‹';
}

/** Words in a row, with marks that end them: nothing that could join to a link, and no bracket or tag. */
const JUST_WORDS = /^(?:[^<\]/\\@&／＼＠.:．：]|[.:．：](?=[\s.:．：,;!?'*_~|)]|$))*$/;

/** A whole text at once. */
export function filterAnswer(text: string, published: PublishedText): { text: string; dropped: number } {
  if (text.length <= WORD_CHARS_MAX && JUST_WORDS.test(text)) return { text, dropped: 0 };
  const filter = new AnswerFilter(published);
  const gave = filter.push(text, true).map((piece) => piece.gave);
  return { text: gave.join(''), dropped: filter.dropped };
}
