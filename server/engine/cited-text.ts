import { hasUnspacedLetters } from '../base/text.ts';
import type { EngineEvent, EnginePassage } from './engine.ts';

/**
 * Parses model output: text with citations as `[[2|words of passage 2]]` or `[[page|words of the page]]` after each statement.
 * A citation is emitted only if its words occur in that source; the markers are always removed. `[[none]]` means that no
 * source answers the question, `[[ask]]` that the model asks the visitor a question.
 */

export type CitedPiece =
  | Extract<EngineEvent, { type: 'text' | 'citation' | 'page_citation' }>
  | { type: 'none' }
  | { type: 'ask' };

type TextPosition = { start: number; end: number };

const START: TextPosition = { start: 0, end: 0 };
const MARK_CHARS_MAX = 1500;
const CITATIONS_MAX = 50;
const DELTA_CHARS_MAX = 8000;

export class CitedText {
  /** The text emitted so far. */
  emittedText = '';
  /** The number of citations that could not be verified. */
  dropped = 0;
  readonly #passages: readonly EnginePassage[];
  readonly #page: string;
  #held = '';
  #cited = 0;
  #last: TextPosition = START;

  /** @param page the part of the prompt about the page */
  constructor(passages: readonly EnginePassage[], page: string) {
    this.#passages = passages;
    this.#page = page;
  }

  feed(text: string): CitedPiece[] {
    this.#held += text;
    return [...this.#read(false)];
  }

  /** Returns the text held back as a possible marker. */
  end(): CitedPiece[] {
    return [...this.#read(true)];
  }

  *#emitText(held: string): Generator<CitedPiece> {
    // Skip blank lines before the first word.
    const text = this.emittedText === '' ? held.trimStart() : held;
    for (let at = 0; at < text.length; ) {
      const delta = text.slice(at, safeEnd(text, at + DELTA_CHARS_MAX));
      at += delta.length;
      this.emittedText += delta;
      yield { type: 'text', delta };
    }
  }

  *#emitCitation(marker: string): Generator<CitedPiece> {
    const [, source = '', words = ''] =
      /^\s*(?:passage\s*)?(\d{1,3}|page)\s*\|([\s\S]+)$/i.exec(marker) ?? [];
    const passage = this.#passages[Number(source) - 1];
    const isPage = source.toLowerCase() === 'page';
    const quote = isPage || passage ? findVerbatim(words, passage?.text ?? this.#page) : undefined;
    if (quote === undefined || this.#cited === CITATIONS_MAX) {
      this.dropped += 1;
      return;
    }
    this.#cited += 1;
    this.#last = locateStatement(this.emittedText, this.#last);
    if (passage) yield { type: 'citation', passage, quote, ...this.#last };
    else yield { type: 'page_citation', quote, ...this.#last };
  }

  *#read(isLast: boolean): Generator<CitedPiece> {
    for (;;) {
      const open = this.#held.indexOf('[[');
      if (open < 0) break;
      const close = this.#held.indexOf(']]', open + 2);
      if (close < 0 && !isLast && this.#held.length - open <= MARK_CHARS_MAX) break;
      const marker = close < 0 ? '' : this.#held.slice(open + 2, close);
      const kind = close < 0 ? 'text' : classifyMarker(marker);
      if (kind === 'text') {
        // An open marker at the end of the text was cut off; otherwise the double brackets are ordinary text.
        const isCutOff = close < 0 && isLast;
        yield* this.#emitText(isCutOff ? this.#held.slice(0, open).trimEnd() : this.#held.slice(0, open + 2));
        this.#held = isCutOff ? '' : this.#held.slice(open + 2);
        continue;
      }
      yield* this.#emitText(this.#held.slice(0, skipSpacesBack(this.#held, open)));
      this.#held = this.#held.slice(close + 2);
      if (kind === 'source') yield* this.#emitCitation(marker);
      else yield kind === 'none' ? { type: 'none' } : { type: 'ask' };
    }
    const holdStart = isLast ? this.#held.length : findHoldStart(this.#held);
    yield* this.#emitText(isLast ? this.#held.toWellFormed() : this.#held.slice(0, holdStart));
    this.#held = isLast ? '' : this.#held.slice(holdStart);
  }
}

function classifyMarker(marker: string): 'none' | 'ask' | 'source' | 'text' {
  if (/^\s*none\s*$/i.test(marker)) return 'none';
  if (/^\s*ask\s*$/i.test(marker)) return 'ask';
  return /^\s*(?:passage\s*)?(?:\d{1,3}|page)\s*(?:\||$)/i.test(marker) ? 'source' : 'text';
}

/** Returns where to hold text back: at an incomplete marker, or the end, including the blanks before. */
function findHoldStart(text: string): number {
  const open = text.indexOf('[[');
  const until = open >= 0 ? open : text.endsWith('[') ? text.length - 1 : text.length;
  return safeEnd(text, skipSpacesBack(text, until));
}

/** Returns the start of the blanks before this position. */
function skipSpacesBack(text: string, until: number): number {
  let at = until;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at -= 1;
  return at;
}

/** Limits `end` to the text, without splitting a surrogate pair. */
function safeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return end <= text.length && unit >= 0xd800 && unit <= 0xdbff ? end - 1 : Math.min(end, text.length);
}

const QUOTE_CHARS_MIN = 8;
/** The minimum for scripts in which a character is a word. */
const UNSPACED_CHARS_MIN = 3;

/**
 * Finds the quote in the passage; undefined when it is not there. White space and quotation marks
 * may differ.
 */
function findVerbatim(citedWords: string, text: string): string | undefined {
  const quote = citedWords
    .trim()
    .replace(/^["'“”„«»「」]+|["'“”„«»「」]+$/gu, '')
    .trim();
  if (quote.length < (hasUnspacedLetters(quote) ? UNSPACED_CHARS_MIN : QUOTE_CHARS_MIN)) return undefined;
  if (text.includes(quote)) return quote;
  const words = quote.split(/\s+/).map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(words.join('\\s+'), 'u').exec(text)?.[0];
}

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/** Locates the last sentence, starting after the last citation or line break. Consecutive markers share a sentence. */
function locateStatement(emittedText: string, last: TextPosition): TextPosition {
  const end = emittedText.trimEnd().length;
  const from = Math.max(last.end, emittedText.lastIndexOf('\n', end - 1) + 1);
  const range = emittedText.slice(from, end);
  if (!/[\p{L}\p{N}]/u.test(range)) return last.end > 0 ? last : { start: 0, end };
  let start = from;
  for (const { segment, index } of sentences.segment(range)) {
    if (/[\p{L}\p{N}]/u.test(segment)) start = from + index;
  }
  // Skip punctuation and list markers before the statement.
  const blank = /^(?:[\s.,;:!?。、，；！？*•-]|\d{1,2}[.)]\s)*/u.exec(emittedText.slice(start, end))![0];
  return { start: start + blank.length, end };
}
