import { isLinkLike } from './links.ts';
import { MARKS_AFTER, MARKS_BEFORE, OUTSIDE_LINKS, type PublishedText } from './published-text.ts';
import type { Piece } from './visible-text.ts';

/**
 * What may stay in an answer: plain words, simple Markdown, and only such links, images and tags as the passages hold. It works while the
 * text arrives: it holds back just what may still become a link or a tag, and however the text is cut, the same comes out.
 * What is left out leaves a mark, so that what stood around it can't grow together to a link.
 */
export type AnswerFilter = {
  /** How much was left out or made harmless so far. */
  readonly dropped: number;
  push(visible: string, isLast: boolean): Piece[];
};

export const LEFT_OUT = '…';

/** Longer words, destinations and tags are never let through. */
const WORD_CHARS_MAX = 2048;
const TAG_CHARS_MAX = 300;

/** How far a line has come: only there, and after its first bracket, can a definition of a link begin. */
type Line = 'start' | 'label' | 'other';

export function createAnswerFilter(published: PublishedText): AnswerFilter {
  let text = '';
  let pieces: Piece[] = [];
  let line: Line = 'start';
  /** The part of the word at hand that is already out. */
  let wordSoFar = '';
  let swallowing = false;
  let lastSaid = '\n';

  const filter = {
    dropped: 0,
    push(visible: string, isLast: boolean): Piece[] {
      text += visible;
      pieces = [];
      let at = 0;
      for (;;) {
        const took = at < text.length ? step(at, isLast) : 0;
        if (took === 0) break;
        at += took;
      }
      text = text.slice(at);
      return pieces;
    },
  };
  return filter;

  /** Settles what stands at a place and answers how long it is; zero when more has to be known. */
  function step(at: number, isLast: boolean): number {
    const character = text[at]!;
    const isOutside = OUTSIDE_LINKS.test(character) || (character === '(' && wordSoFar === '' && !swallowing);
    if (!isOutside) return word(at, isLast);
    swallowing = false;
    wordSoFar = '';
    if (character === '<') return tag(at, isLast);
    if (character === ']') return bracket(at, isLast);
    track(character);
    return keep(at, 1);
  }

  function keep(at: number, length: number): number {
    const gave = text.slice(at, at + length);
    lastSaid = gave.at(-1)!;
    const last = pieces.at(-1);
    if (last && last.took === last.gave.length && !isMark(last))
      pieces[pieces.length - 1] = { took: last.took + length, gave: last.gave + gave };
    else pieces.push({ took: length, gave });
    return length;
  }

  function replace(length: number, gave: string): number {
    pieces.push({ took: length, gave });
    lastSaid = gave.at(-1)!;
    filter.dropped += 1;
    return length;
  }

  function track(character: string): void {
    if (character === '\n') line = 'start';
    else if (line === 'start' && character === '[') line = 'label';
    else if (line === 'start' && !/[\s>]/.test(character)) line = 'other';
  }

  /** A list item may begin with a definition, too. */
  function trackWord(letters: string): void {
    if (line === 'start' && /[^-*+\d.)]/.test(letters)) line = 'other';
  }

  /** Words go out letter by letter until a mark comes that could join them to a link. */
  function word(at: number, isLast: boolean): number {
    if (swallowing) {
      const length = endOfWord(at) - at;
      pieces.push({ took: length, gave: '' });
      return length;
    }
    let place = at;
    while (place < text.length && !OUTSIDE_LINKS.test(text[place]!)) {
      const before = place === at ? wordSoFar.at(-1) : text[place - 1];
      if (couldJoin(before, text[place]!)) break;
      place += 1;
    }
    if (place > at) {
      const letters = text.slice(at, place);
      trackWord(letters);
      wordSoFar = (wordSoFar + letters).slice(-WORD_CHARS_MAX - 1);
      return keep(at, place - at);
    }
    const end = endOfWord(at);
    if (end - at > WORD_CHARS_MAX) {
      swallowing = true;
      line = line === 'start' ? 'other' : line;
      return replace(end - at, LEFT_OUT);
    }
    if (end === text.length && !isLast) return 0;
    return wholeWord(at, end);
  }

  function wholeWord(at: number, end: number): number {
    const whole = wordSoFar + text.slice(at, end);
    wordSoFar = '';
    line = line === 'start' ? 'other' : line;
    const core = whole.replace(MARKS_BEFORE, '').replace(MARKS_AFTER, '');
    if (whole.length <= WORD_CHARS_MAX && (!isLinkLike(core) || published.holdsLink(core)))
      return keep(at, end - at);
    const marks = MARKS_AFTER.exec(text.slice(at, end))?.[0].length ?? 0;
    replace(end - at - marks, LEFT_OUT);
    if (marks > 0) keep(end - marks, marks);
    return end - at;
  }

  function endOfWord(from: number): number {
    let end = from;
    while (end < text.length && !OUTSIDE_LINKS.test(text[end]!)) end += 1;
    return end;
  }

  /** A tag stays only as the passages hold it; any other loses the sign that makes it one, and what it stood at stays apart from it. */
  function tag(at: number, isLast: boolean): number {
    if (at + 1 === text.length) return isLast ? keep(at, 1) : 0;
    line = line === 'start' ? 'other' : line;
    if (!/[A-Za-z/!?]/.test(text[at + 1]!)) return keep(at, 1);
    if (!published.holdsTag(text.slice(at, at + 2))) return replace(1, /\s/.test(lastSaid) ? '‹' : ' ‹');
    const window = text.slice(at, at + TAG_CHARS_MAX);
    const closes = window.indexOf('>');
    const opens = window.indexOf('<', 1);
    const isWhole = closes >= 0 && (opens < 0 || closes < opens);
    if (isWhole && published.holdsTag(window.slice(0, closes + 1))) return keep(at, closes + 1);
    const isOpen = closes < 0 && opens < 0 && window.length < TAG_CHARS_MAX;
    if (isOpen && !isLast) return 0;
    return replace(1, /\s/.test(lastSaid) ? '‹' : ' ‹');
  }

  function bracket(at: number, isLast: boolean): number {
    if (at + 1 === text.length) return isLast ? keep(at, 1) : 0;
    const follows = text[at + 1];
    const took =
      follows === '('
        ? destination(at, isLast)
        : follows === ':' && line === 'label'
          ? definition(at, isLast)
          : keep(at, 1);
    if (took > 0) line = 'other';
    return took;
  }

  /** A Markdown link or image: its label stays, its destination only when a passage holds it. */
  function destination(at: number, isLast: boolean): number {
    const end = endOfDestination(at + 2);
    const length = end.at - at;
    if (!end.isSure && !isLast) return 0;
    if (end.closes && published.holdsDestination(text.slice(at + 2, end.at - 1))) return keep(at, length);
    keep(at, 1);
    replace(length - 1, LEFT_OUT);
    return length;
  }

  /** Up to the bracket that closes it, to an empty line, or to where the text ends. */
  function endOfDestination(from: number): { at: number; closes: boolean; isSure: boolean } {
    let depth = 1;
    const limit = Math.min(text.length, from + WORD_CHARS_MAX);
    // A pair stays whole.
    const cut = /[\ud800-\udbff]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
    for (let at = from; at < limit; at++) {
      const character = text[at]!;
      if (character === '(') depth += 1;
      else if (character === ')') depth -= 1;
      if (depth === 0) return { at: at + 1, closes: true, isSure: true };
      if (character === '\n' && text[at - 1] === '\n') return { at: at - 1, closes: false, isSure: true };
    }
    return { at: cut, closes: false, isSure: limit === from + WORD_CHARS_MAX };
  }

  /** `[label]: address` at the beginning of a line makes links elsewhere. */
  function definition(at: number, isLast: boolean): number {
    const [, gap = '', address = ''] = /^([ \t]*\n?[ \t]*)(\S*)/.exec(
      text.slice(at + 2, at + 2 + WORD_CHARS_MAX),
    )!;
    const isOpen = at + 2 + gap.length + address.length === text.length;
    if (isOpen && !isLast && gap.length + address.length < WORD_CHARS_MAX) return 0;
    const core = address.replace(MARKS_AFTER, '');
    if (published.holdsDestination(core) || published.holdsDestination(address)) return keep(at, 2);
    return replace(2, '] :');
  }
}

/** Letters after a full stop or a colon, and signs that only addresses have inside a word. */
function couldJoin(before: string | undefined, character: string): boolean {
  if (/[/\\@&／＼＠]/.test(character)) return true;
  return before !== undefined && /[.:．：]/.test(before) && !/[.:．：,;!?'*_~|)]/.test(character);
}

function isMark({ gave }: Piece): boolean {
  return gave === LEFT_OUT || gave === '‹';
}

/** A whole text at once. */
export function filterAnswer(text: string, published: PublishedText): { text: string; dropped: number } {
  const filter = createAnswerFilter(published);
  const gave = filter.push(text, true).map((piece) => piece.gave);
  return { text: gave.join(''), dropped: filter.dropped };
}
