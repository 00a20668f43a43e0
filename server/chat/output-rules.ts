import type { EngineEvent, EngineQuestion } from '../engine/engine.ts';
import { AnswerFilter, filterAnswer } from '../sanitize/answer-filter.ts';
import { cleanLabel } from '../sanitize/clean-text.ts';
import { OffsetMap } from '../sanitize/offset-map.ts';
import { PublishedText } from '../sanitize/published-text.ts';
import { isVisible, type Piece, VisibleStream } from '../sanitize/visible-text.ts';
import type { AnswerText } from './answer-text.ts';

type EngineCitation = Extract<EngineEvent, { type: 'citation' }>;
type Sources = Pick<EngineQuestion, 'passages' | 'nearest'>;

/** What was said by an engine and did not leave the server. */
export type Dropped = {
  actions: number;
  /** Links, images, addresses and tags. */
  links: number;
  citations: number;
  suggestions: number;
};

export const nothingDropped = (): Dropped => ({ actions: 0, links: 0, citations: 0, suggestions: 0 });

/** Where a citation stands in the answer that left, in UTF-16 units. */
export type PlacedCitation = { readonly event: EngineCitation; readonly start: number; readonly end: number };

/**
 * What may leave of what an engine says, whatever made it say so: visible text with the links, images and tags that the passages hold,
 * and citations of exactly these passages. It is told of text and citations as they come; what it holds back comes with the next ones.
 */
export class OutputRules {
  readonly #sources: Sources;
  readonly #dropped: Dropped;
  readonly #published: PublishedText;
  readonly #visible = new VisibleStream();
  readonly #filter: AnswerFilter;
  readonly #toVisible = new OffsetMap();
  readonly #toSaid = new OffsetMap();
  #waiting: EngineCitation[] | undefined;
  #told = 0;

  constructor(sources: Sources, dropped: Dropped) {
    this.#sources = sources;
    this.#dropped = dropped;
    this.#published = new PublishedText(sources.passages, sources.nearest);
    this.#filter = new AnswerFilter(this.#published);
  }

  /** What the visitor may read of it now. */
  text(delta: string): string {
    return this.#settle(delta, false);
  }

  /** What was held back; nothing comes after it. */
  rest(): string {
    return this.#settle('', true);
  }

  /** False when there is nothing in the passages that it could cite. */
  cite(event: EngineCitation): boolean {
    const { passage, quote, start, end } = event;
    const isPlaced = start >= 0 && end >= start && end <= this.#told;
    const isRetrieved = this.#sources.passages.includes(passage);
    const isQuoted = quote !== '' && passage.text.includes(quote) && isVisible(quote);
    if (!isPlaced || !isRetrieved || !isQuoted) return false;
    this.#waiting ??= [];
    this.#waiting.push(event);
    return true;
  }

  /** The citations whose place in the answer is settled by now. */
  placed(): PlacedCitation[] {
    const ready: PlacedCitation[] = [];
    while (this.#waiting?.[0] && this.#isSettled(this.#waiting[0])) {
      const event = this.#waiting.shift()!;
      ready.push({ event, start: this.#place(event.start), end: this.#place(event.end) });
    }
    return ready;
  }

  /** A line such as a label or a title. */
  line(text: string, charsMax: number): string {
    const { text: allowed, dropped: links } = filterAnswer(cleanLabel(text, charsMax), this.#published);
    this.#dropped.links += links;
    return cleanLabel(allowed, charsMax);
  }

  #settle(delta: string, isLast: boolean): string {
    this.#told += delta.length;
    const before = this.#filter.dropped;
    const seen = through(this.#visible, delta, isLast, this.#toVisible);
    const said = through(this.#filter, seen, isLast, this.#toSaid);
    this.#dropped.links += this.#filter.dropped - before;
    return said;
  }

  #isSettled({ end }: EngineCitation): boolean {
    return end <= this.#toVisible.took && this.#toVisible.at(end) <= this.#toSaid.took;
  }

  #place(offset: number): number {
    return this.#toSaid.at(this.#toVisible.at(offset));
  }
}

type Stage = { push(text: string, isLast: boolean): readonly Piece[] };

function through(stage: Stage, text: string, isLast: boolean, map: OffsetMap): string {
  let out = '';
  for (const { took, gave } of stage.push(text, isLast)) {
    map.add(took, gave.length, took === gave.length);
    out += gave;
  }
  return out;
}

const DELTA_CHARS_MAX = 20_000;
const ANSWER_CHARS_MAX = 200_000;

/** Text in portions that an event can carry, as far as an answer may grow; never between the halves of a character. */
export function* portions(text: string, answer: Pick<AnswerText, 'text'>): Generator<string> {
  let rest = cutBefore(text, ANSWER_CHARS_MAX - answer.text.length);
  while (rest !== '') {
    const portion = cutBefore(rest, DELTA_CHARS_MAX);
    yield portion;
    rest = rest.slice(portion.length);
  }
}

function cutBefore(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const cut = text.slice(0, Math.max(0, charsMax));
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
