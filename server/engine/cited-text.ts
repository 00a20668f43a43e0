import { MarkReader, type MarkToken, type SourceMark } from './answer-marks.ts';
import type { EngineEvent, EnginePassage } from './engine.ts';
import { findGrounds, findQuote, type Grounds, type Source } from './grounding.ts';
import { LoopDetector } from './loop-detector.ts';

/**
 * Turns the text of a model into statements with verified citations, each emitted as soon as it is complete: a sentence or a
 * line. A mark becomes a citation only if its words, or those of its statement, stand in a source; a statement without a mark
 * is cited by its own words. Echoes of the question and the prompt are dropped, and so is what a model merely copies from a
 * passage that is no answer.
 */

export type CitedPiece =
  | Extract<EngineEvent, { type: 'text' | 'citation' | 'page_citation' }>
  | { type: 'none' }
  | { type: 'person' }
  | { type: 'ask' }
  /** The model repeats itself. */
  | { type: 'loop' };

type Claim = SourceMark & {
  /** Offset in the text of its statement. */
  at: number;
};

type Named = Pick<Claim, 'numbers' | 'isPage'>;

const STATEMENT_CHARS_MAX = 2000;
const CITATIONS_MAX = 50;

export class CitedText {
  readonly #sources: readonly Source[];
  readonly #isEcho: (statement: string, isProven: boolean) => boolean;
  readonly #mayCopy: (passage: EnginePassage) => boolean;
  readonly #marks = new MarkReader();
  readonly #loops = new LoopDetector();
  #pending = '';
  #claims: Claim[] = [];
  /** The length of the text emitted so far. */
  #length = 0;
  #cited = 0;
  #last = { start: 0, end: 0 };

  /**
   * @param sources the passages in the order of their numbers, then the page
   * @param mayCopy whether words of this passage that the model writes without a mark, or nothing but a mark, are shown
   */
  constructor(
    sources: readonly Source[],
    isEcho: (statement: string, isProven: boolean) => boolean,
    mayCopy: (passage: EnginePassage) => boolean = () => true,
  ) {
    this.#sources = sources;
    this.#isEcho = isEcho;
    this.#mayCopy = mayCopy;
  }

  feed(text: string): CitedPiece[] {
    return this.#marks.feed(text).flatMap((token) => [...this.#add(token)]);
  }

  /** Takes what the model's server says: the text so far comes from the passage of this number. */
  cite(number: number, words: string): CitedPiece[] {
    const claim: SourceMark = { type: 'source', numbers: [number], isPage: false, words };
    return [...this.#marks.end(), claim].flatMap((token) => [...this.#add(token)]);
  }

  /** Returns the last statement. */
  end(): CitedPiece[] {
    const rest = this.#marks.end().flatMap((token) => [...this.#add(token)]);
    return [...rest, ...this.#closeStatement(this.#pending.toWellFormed())];
  }

  *#add(token: MarkToken): Generator<CitedPiece> {
    if (token.type === 'text') {
      this.#pending += token.text;
      for (let end = findEnd(this.#pending); end > 0; end = findEnd(this.#pending)) {
        const rest = this.#pending.slice(end);
        yield* this.#closeStatement(this.#pending.slice(0, end));
        this.#pending = rest;
      }
      return;
    }
    this.#pending = this.#pending.replace(/[ \t]+$/, '');
    if (token.type === 'source') this.#claims.push({ ...token, at: this.#pending.length });
    else yield token;
  }

  *#closeStatement(written: string): Generator<CitedPiece> {
    const claims = this.#claims;
    this.#claims = [];
    this.#pending = '';
    const found = claims.flatMap((claim) => {
      const grounds = this.#verify(claim);
      return grounds ? [{ ...grounds, at: claim.at }] : [];
    });
    const saysNothing = !HAS_WORDS.test(written.replace(LIST_MARKS, ''));
    const { text, verified } = saysNothing
      ? showQuotes(
          written,
          found.filter(({ source }) => source.passage && this.#mayCopy(source.passage)),
        )
      : { text: written, verified: found };
    const statement = text.trim();
    if (this.#loops.add(statement)) yield { type: 'loop' };
    // A question states nothing that a source could support.
    const isQuestion = /[?？]$/.test(statement);
    const isProven = verified.length > 0 && !isQuestion;
    if (this.#isEcho(statement, isProven)) return;
    const own = isProven || isQuestion ? undefined : this.#findOwnGrounds(statement, claims);
    if (own?.source.passage && !this.#isNamed(own.source, claims) && !this.#mayCopy(own.source.passage))
      return;
    const start = this.#length;
    const shown = start === 0 ? text.trimStart() : text;
    const skipped = text.length - shown.length;
    if (shown !== '') yield { type: 'text', delta: shown };
    this.#length += shown.length;
    if (isQuestion) return;
    for (const { at, ...grounds } of own ? [{ ...own, at: text.length }] : verified)
      yield* this.#cite(grounds, shown.slice(0, Math.max(0, at - skipped)), start);
  }

  #verify({ words, ...claim }: Claim): Grounds | undefined {
    if (words === '') return undefined;
    const sources = this.#order([claim]);
    return findQuote(words, sources) ?? findGrounds(words, sources);
  }

  /** Finds what supports a statement whose marks do not; the sources that they name come first. */
  #findOwnGrounds(statement: string, claims: readonly Claim[]): Grounds | undefined {
    return HAS_WORDS.test(statement) ? findGrounds(statement, this.#order(claims)) : undefined;
  }

  #order(claims: readonly Named[]): Source[] {
    const isFirst = (source: Source) => this.#isNamed(source, claims);
    return [...this.#sources.filter(isFirst), ...this.#sources.filter((source) => !isFirst(source))];
  }

  #isNamed(source: Source, claims: readonly Named[]): boolean {
    const number = this.#sources.indexOf(source) + 1;
    return claims.some(({ numbers, isPage }) => (source.passage ? numbers.includes(number) : isPage));
  }

  /** @param said the statement up to the mark */
  *#cite({ source, quote }: Grounds, said: string, start: number): Generator<CitedPiece> {
    if (this.#cited === CITATIONS_MAX) return;
    this.#cited += 1;
    const from = Math.max(0, this.#last.end - start);
    const range = said.slice(from);
    if (HAS_WORDS.test(range)) {
      const lead = LEAD.exec(range)![0];
      this.#last = { start: start + from + lead.length, end: start + said.trimEnd().length };
    }
    const { passage } = source;
    yield passage
      ? { type: 'citation', passage, quote, ...this.#last }
      : { type: 'page_citation', quote, ...this.#last };
  }
}

type Verified = Grounds & { at: number };

/** Some models write marks alone, such as `1. [[1|…]]`: the words that they quote are their statement. */
function showQuotes(written: string, found: readonly Verified[]): { text: string; verified: Verified[] } {
  const quotes = [...new Map(found.map((grounds) => [grounds.quote, grounds])).values()];
  if (quotes.length === 0) return { text: written, verified: [] };
  const verified: Verified[] = [];
  let text = '';
  for (const [at, grounds] of quotes.entries()) {
    const number = quotes.length > 1 ? `${at + 1}. ` : '';
    text += `${at > 0 ? '\n' : ''}${number}${grounds.quote.replace(/\s+/g, ' ').trim()}`;
    verified.push({ ...grounds, at: text.length });
  }
  return { text: `${text}${/\s*$/.exec(written)![0]}`, verified };
}

const HAS_WORDS = /[\p{L}\p{N}]/u;
const LIST_MARKS = /^\s*(?:\d{1,2}[.)]|[-*•])(?=\s|$)/gm;
/** Punctuation and list markers before a statement. */
const LEAD = /^(?:[\s.,;:!?。、，；！？*•-]|\d{1,2}[.)]\s)*/u;

const CLOSERS = '"\'”’»)\\]）」』*_`';
/** A line break, or the end of a sentence before anything but a small letter. Waits for what follows: marks stand behind their statement. */
const STATEMENT_END = new RegExp(
  `[.!?…][${CLOSERS}]*\\s+(?=[^\\s\\p{Ll}${CLOSERS}])|[。！？][${CLOSERS}]*(?=[^\\s${CLOSERS}])|\\n\\s*(?=\\S)`,
  'gu',
);

/** Returns where the next statement begins; 0 while the first is incomplete. */
function findEnd(text: string): number {
  for (const { index, 0: end } of text.matchAll(STATEMENT_END)) {
    const at = index + end.length;
    if (at > STATEMENT_CHARS_MAX) break;
    // The number of a list item ends no sentence.
    if (/\p{L}/u.test(text.slice(0, index))) return at;
  }
  if (text.length <= STATEMENT_CHARS_MAX) return 0;
  const unit = text.charCodeAt(STATEMENT_CHARS_MAX - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? STATEMENT_CHARS_MAX - 1 : STATEMENT_CHARS_MAX;
}
