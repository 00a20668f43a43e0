import type { EngineEvent, EngineQuestion } from '../engine/engine.ts';
import { AnswerFilter, filterAnswer } from '../sanitize/answer-filter.ts';
import { OffsetMap } from '../sanitize/offset-map.ts';
import { cleanLabel } from '../sanitize/page-text.ts';
import { PublishedText } from '../sanitize/published-text.ts';
import { isVisible, type Piece, VisibleStream } from '../sanitize/visible-text.ts';

type EngineCitation = Extract<EngineEvent, { type: 'citation' }>;
type Sources = Pick<EngineQuestion, 'passages' | 'nearest'>;

/** Counts of what an engine produced and the output rules removed. */
export type Dropped = {
  actions: number;
  /** Links, images, URLs and tags. */
  links: number;
  citations: number;
  suggestions: number;
};

export const nothingDropped = (): Dropped => ({ actions: 0, links: 0, citations: 0, suggestions: 0 });

/** A citation with its position in the filtered answer, in UTF-16 units. */
export type PlacedCitation = { readonly event: EngineCitation; readonly start: number; readonly end: number };

/**
 * Filters what an engine produces: visible text, with only those links, images and tags that the passages contain, and citations of
 * exactly these passages. It works on a stream, so it holds back text until it can decide about it.
 */
export class OutputRules {
  readonly #sources: Sources;
  readonly #dropped: Dropped;
  readonly #published: PublishedText;
  readonly #visible = new VisibleStream();
  readonly #filter: AnswerFilter;
  readonly #toVisible = new OffsetMap();
  readonly #toFiltered = new OffsetMap();
  #pending: EngineCitation[] | undefined;
  #received = 0;

  constructor(sources: Sources, dropped: Dropped) {
    this.#sources = sources;
    this.#dropped = dropped;
    this.#published = new PublishedText(sources.passages, sources.nearest);
    this.#filter = new AnswerFilter(this.#published);
  }

  /** Returns the text that can be sent now. */
  text(delta: string): string {
    return this.#filterText(delta, false);
  }

  /** Returns what is still held back; call it last. */
  rest(): string {
    return this.#filterText('', true);
  }

  /** False when the passages contain no such quote. */
  cite(event: EngineCitation): boolean {
    const { passage, quote, start, end } = event;
    const isPlaced = start >= 0 && end >= start && end <= this.#received;
    const isRetrieved = this.#sources.passages.includes(passage);
    const isQuoted = quote !== '' && passage.text.includes(quote) && isVisible(quote);
    if (!isPlaced || !isRetrieved || !isQuoted) return false;
    this.#pending ??= [];
    this.#pending.push(event);
    return true;
  }

  /** Returns the citations whose position in the filtered answer is final. */
  placed(): PlacedCitation[] {
    const ready: PlacedCitation[] = [];
    while (this.#pending?.[0] && this.#isFinal(this.#pending[0])) {
      const event = this.#pending.shift()!;
      ready.push({ event, start: this.#mapOffset(event.start), end: this.#mapOffset(event.end) });
    }
    return ready;
  }

  /** Filters a single line such as a label or a title. */
  line(text: string, charsMax: number): string {
    const { text: allowed, dropped: links } = filterAnswer(cleanLabel(text, charsMax), this.#published);
    this.#dropped.links += links;
    return cleanLabel(allowed, charsMax);
  }

  #filterText(delta: string, isLast: boolean): string {
    this.#received += delta.length;
    const before = this.#filter.dropped;
    const visible = pushThrough(this.#visible, delta, isLast, this.#toVisible);
    const filtered = pushThrough(this.#filter, visible, isLast, this.#toFiltered);
    this.#dropped.links += this.#filter.dropped - before;
    return filtered;
  }

  #isFinal({ end }: EngineCitation): boolean {
    return (
      end <= this.#toVisible.consumed && this.#toVisible.toOutputOffset(end) <= this.#toFiltered.consumed
    );
  }

  #mapOffset(offset: number): number {
    return this.#toFiltered.toOutputOffset(this.#toVisible.toOutputOffset(offset));
  }
}

type Stage = { push(text: string, isLast: boolean): readonly Piece[] };

function pushThrough(stage: Stage, text: string, isLast: boolean, map: OffsetMap): string {
  let out = '';
  for (const { consumed, output } of stage.push(text, isLast)) {
    map.add(consumed, output.length, consumed === output.length);
    out += output;
  }
  return out;
}

const DELTA_CHARS_MAX = 20_000;
const ANSWER_CHARS_MAX = 200_000;

/** Splits text to the size of an event and cuts the answer at its maximum; never splits a surrogate pair. */
export function* splitDelta(text: string, answer: { readonly text: string }): Generator<string> {
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
