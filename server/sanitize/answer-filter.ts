import type { Piece } from '../base/visible-text.ts';
import {
  isLinkLike,
  isOutsideLinks,
  isUnspaced,
  JOINTS,
  LINK_CHARACTERS,
  MARKS_AFTER,
  MARKS_BEFORE,
  type PublishedText,
} from './published-text.ts';

const REMOVED = '…';

/** Longer words and link destinations are always removed. */
const WORD_CHARS_MAX = 2048;
const TAG_CHARS_MAX = 300;

const NO_PIECES: Piece[] = [];

/** Position in the line. A link definition can begin only at the start of a line. */
type LinePosition = 'start' | 'label' | 'other';

/**
 * Filters an answer while it streams: keeps plain text, simple Markdown, and only those links,
 * images and tags that the passages contain. Buffers only text that may still become a link or tag;
 * the output does not depend on chunk boundaries. Each removed part leaves a replacement, so that the text
 * around it cannot join to form a link.
 */
export class AnswerFilter {
  /** Number of parts that were removed or neutralised. */
  dropped = 0;
  readonly #published: PublishedText;
  #text = '';
  #pieces: Piece[] = NO_PIECES;
  #linePosition: LinePosition = 'start';
  /** The part of the current word that was already emitted. */
  #wordSoFar = '';
  /** The word before the current one: after "version", four numbers are no address. */
  #wordBefore = '';
  #isSkippingWord = false;
  #lastOutput = '\n';

  constructor(published: PublishedText) {
    this.#published = published;
  }

  push(visible: string, isLast: boolean): readonly Piece[] {
    this.#text += visible;
    const pieces: Piece[] = [];
    this.#pieces = pieces;
    let at = 0;
    for (;;) {
      const consumed = at < this.#text.length ? this.#consumeNext(at, isLast) : 0;
      if (consumed === 0) break;
      at += consumed;
    }
    this.#text = this.#text.slice(at);
    this.#pieces = NO_PIECES;
    return pieces;
  }

  /**
   * Processes the text at a position and returns the number of characters consumed; zero when more
   * input is needed.
   */
  #consumeNext(at: number, isLast: boolean): number {
    const character = this.#text[at]!;
    const isOutside =
      isOutsideLinks(character, this.#wordSoFar.at(-1)) ||
      (character === '(' && this.#wordSoFar === '' && !this.#isSkippingWord);
    if (!isOutside) return this.#filterWord(at, isLast);
    this.#isSkippingWord = false;
    if (this.#wordSoFar !== '') this.#wordBefore = this.#wordSoFar;
    this.#wordSoFar = '';
    if (character === '<') return this.#filterTag(at, isLast);
    if (character === ']') return this.#filterBracket(at, isLast);
    this.#trackLine(character);
    return this.#keep(at, 1);
  }

  #keep(at: number, length: number): number {
    const output = this.#text.slice(at, at + length);
    this.#lastOutput = output.at(-1)!;
    const last = this.#pieces.at(-1);
    if (last && last.consumed === last.output.length && !isRemovalMark(last))
      this.#pieces[this.#pieces.length - 1] = {
        consumed: last.consumed + length,
        output: last.output + output,
      };
    else this.#pieces.push({ consumed: length, output });
    return length;
  }

  #replace(length: number, output: string): number {
    this.#pieces.push({ consumed: length, output });
    this.#lastOutput = output.at(-1)!;
    this.dropped += 1;
    return length;
  }

  #trackLine(character: string): void {
    // A label may continue on the next line.
    if (character === '\n' && this.#linePosition !== 'label') this.#linePosition = 'start';
    else if (character === '\n' && this.#lastOutput === '\n') this.#linePosition = 'start';
    else if (this.#linePosition === 'start' && character === '[') this.#linePosition = 'label';
    else if (this.#linePosition === 'start' && !/[\s>]/.test(character)) this.#linePosition = 'other';
  }

  /** List markers do not end the line start, since a list item may begin with a definition. */
  #trackWord(letters: string): void {
    if (this.#linePosition === 'start' && /[^-*+\d.)]/.test(letters)) this.#linePosition = 'other';
  }

  /** Emits a word as it arrives, until a character could turn it into a link. */
  #filterWord(at: number, isLast: boolean): number {
    if (this.#isSkippingWord) {
      const length = this.#findWordEnd(at) - at;
      this.#pieces.push({ consumed: length, output: '' });
      return length;
    }
    if (this.#text[at] === '+' && this.#wordSoFar === '') {
      const consumed = this.#filterPhoneNumber(at, isLast);
      if (consumed !== undefined) return consumed;
    }
    let next = at;
    for (let before = this.#wordSoFar.at(-1); next < this.#text.length; next += 1) {
      const character = this.#text[next]!;
      if (isOutsideLinks(character, before) || couldFormLink(before, character)) break;
      before = character;
    }
    if (next > at) {
      const letters = this.#text.slice(at, next);
      this.#trackWord(letters);
      this.#wordSoFar = (this.#wordSoFar + letters).slice(-WORD_CHARS_MAX - 1);
      return this.#keep(at, next - at);
    }
    const end = this.#findWordEnd(at);
    if (end - at > WORD_CHARS_MAX) {
      this.#isSkippingWord = true;
      this.#linePosition = this.#linePosition === 'start' ? 'other' : this.#linePosition;
      return this.#replace(end - at, REMOVED);
    }
    if (end === this.#text.length && !isLast) return 0;
    return this.#filterWholeWord(at, end);
  }

  #filterWholeWord(at: number, end: number): number {
    const whole = this.#wordSoFar + this.#text.slice(at, end);
    const before = this.#wordBefore;
    this.#wordBefore = whole;
    this.#wordSoFar = '';
    this.#linePosition = this.#linePosition === 'start' ? 'other' : this.#linePosition;
    const core = whole.replace(MARKS_BEFORE, '').replace(MARKS_AFTER, '');
    const isLink = isLinkLike(core, this.#text[end], before);
    if (whole.length <= WORD_CHARS_MAX && (!isLink || this.#isPublished(core)))
      return this.#keep(at, end - at);
    const marks = MARKS_AFTER.exec(this.#text.slice(at, end))?.[0].length ?? 0;
    this.#replace(end - at - marks, REMOVED);
    if (marks > 0) this.#keep(end - marks, marks);
    return end - at;
  }

  /** Whether the word is a published link, or ends with one after letters of a script without spaces. */
  #isPublished(core: string): boolean {
    if (this.#published.containsLink(core)) return true;
    const at = [...core].findLastIndex(isUnspaced);
    return at >= 0 && this.#published.containsLink([...core].slice(at + 1).join(''));
  }

  /** Finds the end of the word. A letter of a script without spaces ends a word of other letters or digits. */
  #findWordEnd(from: number): number {
    let end = from;
    for (let before = this.#wordSoFar.at(-1); end < this.#text.length; end += 1) {
      const character = this.#text[end]!;
      if (isOutsideLinks(character, before)) break;
      const isContinued = before === undefined || isUnspaced(before) || !/[\p{L}\p{N}]/u.test(before);
      if (end > from && isUnspaced(character) && !isContinued) break;
      before = character;
    }
    return end;
  }

  /** Removes an international phone number unless it is published. Returns undefined to handle the text as a word. */
  #filterPhoneNumber(at: number, isLast: boolean): number | undefined {
    const [number] = PHONE_NUMBER.exec(this.#text.slice(at, at + PHONE_CHARS_MAX))!;
    const isIncomplete = at + number.length === this.#text.length && number.length < PHONE_CHARS_MAX;
    if (isIncomplete && !isLast) return 0;
    const written = number.replace(/[^\d)]+$/, '');
    const digits = written.replace(/\D/g, '').length;
    if (digits < PHONE_DIGITS_MIN || this.#published.containsPhoneNumber(written)) return undefined;
    this.#linePosition = this.#linePosition === 'start' ? 'other' : this.#linePosition;
    return this.#replace(written.length, REMOVED);
  }

  /**
   * Keeps a tag only if the passages contain it. Otherwise replaces its `<` and separates it from
   * the text before it.
   */
  #filterTag(at: number, isLast: boolean): number {
    if (at + 1 === this.#text.length) return isLast ? this.#keep(at, 1) : 0;
    this.#linePosition = this.#linePosition === 'start' ? 'other' : this.#linePosition;
    if (!/[A-Za-z/!?]/.test(this.#text[at + 1]!)) return this.#keep(at, 1);
    if (!this.#published.containsTag(this.#text.slice(at, at + 2)))
      return this.#replace(1, /\s/.test(this.#lastOutput) ? '‹' : ' ‹');
    const window = this.#text.slice(at, at + TAG_CHARS_MAX);
    const closeAt = window.indexOf('>');
    const openAt = window.indexOf('<', 1);
    const isWhole = closeAt >= 0 && (openAt < 0 || closeAt < openAt);
    if (isWhole && this.#published.containsTag(window.slice(0, closeAt + 1)))
      return this.#keep(at, closeAt + 1);
    const isIncomplete = closeAt < 0 && openAt < 0 && window.length < TAG_CHARS_MAX;
    if (isIncomplete && !isLast) return 0;
    return this.#replace(1, /\s/.test(this.#lastOutput) ? '‹' : ' ‹');
  }

  #filterBracket(at: number, isLast: boolean): number {
    if (at + 1 === this.#text.length) return isLast ? this.#keep(at, 1) : 0;
    const next = this.#text[at + 1];
    const consumed =
      next === '('
        ? this.#filterDestination(at, isLast)
        : next === ':' && this.#linePosition === 'label'
          ? this.#filterDefinition(at, isLast)
          : this.#keep(at, 1);
    if (consumed > 0) this.#linePosition = 'other';
    return consumed;
  }

  /** Filters a Markdown link or image: keeps the label, and the destination only if a passage contains it. */
  #filterDestination(at: number, isLast: boolean): number {
    const end = this.#findDestinationEnd(at + 2);
    const length = end.at - at;
    if (!end.isCertain && !isLast) return 0;
    if (end.isClosed && this.#published.containsDestination(this.#text.slice(at + 2, end.at - 1)))
      return this.#keep(at, length);
    this.#keep(at, 1);
    this.#replace(length - 1, REMOVED);
    return length;
  }

  /** Finds the end of a destination: the closing bracket, an empty line, or the end of the text. */
  #findDestinationEnd(from: number): { at: number; isClosed: boolean; isCertain: boolean } {
    let depth = 1;
    const limit = Math.min(this.#text.length, from + WORD_CHARS_MAX);
    // Do not split a surrogate pair.
    const cut = /[\ud800-\udbff]/.test(this.#text[limit - 1] ?? '') ? limit - 1 : limit;
    for (let at = from; at < limit; at++) {
      const character = this.#text[at]!;
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      if (depth === 0) return { at: at + 1, isClosed: true, isCertain: true };
      if (character === '\n' && this.#text[at - 1] === '\n')
        return { at: at - 1, isClosed: false, isCertain: true };
    }
    return { at: cut, isClosed: false, isCertain: limit === from + WORD_CHARS_MAX };
  }

  /** Disables `[label]: address` at a line start unless it is published, since it defines a link for other text. */
  #filterDefinition(at: number, isLast: boolean): number {
    const [, gap = '', address = ''] = /^([ \t]*\n?[ \t]*)(\S*)/.exec(
      this.#text.slice(at + 2, at + 2 + WORD_CHARS_MAX),
    )!;
    const isIncomplete = at + 2 + gap.length + address.length === this.#text.length;
    if (isIncomplete && !isLast && gap.length + address.length < WORD_CHARS_MAX) return 0;
    const core = address.replace(MARKS_AFTER, '');
    if (this.#published.containsDestination(core) || this.#published.containsDestination(address))
      return this.#keep(at, 2);
    return this.#replace(2, '] :');
  }
}

/**
 * Whether the character could continue a URL: letters after a full stop or colon, and characters
 * that only URLs contain.
 */
function couldFormLink(before: string | undefined, character: string): boolean {
  if (LINK_CHARACTER_SET.has(character)) return true;
  return before !== undefined && JOINT_SET.has(before) && !NO_LINK_AFTER_JOINT.has(character);
}

const LINK_CHARACTER_SET = new Set(LINK_CHARACTERS);
const JOINT_SET = new Set(JOINTS);
const NO_LINK_AFTER_JOINT = new Set(".:．：,;!'*_~|)");

/** International notation, as clients recognize it. */
const PHONE_NUMBER = /^\+[\d\s().\-/\u00a0\u2010-\u2015]*/;
const PHONE_CHARS_MAX = 32;
const PHONE_DIGITS_MIN = 8;

function isRemovalMark({ output }: Piece): boolean {
  return output === REMOVED || output === '‹';
}

/** Plain words and punctuation, which cannot form a link, bracket or tag. */
const PLAIN_WORDS = new RegExp(
  `^(?:[^<\\]+${JOINTS}${LINK_CHARACTERS.replace('\\', '\\\\')}]|[.:](?=[\\s.:,;!'*_~|)]|$))*$`,
);

/** Filters a complete text. */
export function filterAnswer(text: string, published: PublishedText): { text: string; dropped: number } {
  if (text.length <= WORD_CHARS_MAX && PLAIN_WORDS.test(text)) return { text, dropped: 0 };
  const filter = new AnswerFilter(published);
  const output = filter.push(text, true).map((piece) => piece.output);
  return { text: output.join(''), dropped: filter.dropped };
}

/**
 * A range that was copied unchanged: its start in the input, its start in the output, and its end
 * in the input.
 */
type CopiedRange = { inputStart: number; outputStart: number; inputEnd: number };

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
