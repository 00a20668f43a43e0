import { isVisible, type Piece, VisibleStream } from '../base/visible-text.ts';
import type { EngineEvent } from '../engine/engine.ts';
import { AnswerFilter, filterAnswer, OffsetMap } from '../sanitize/answer-filter.ts';
import { cleanLabel } from '../sanitize/page-text.ts';
import { type Publication, PublishedText } from '../sanitize/published-text.ts';
import { UnlinkedText } from '../sanitize/unlinked-text.ts';
import type { Contact } from '../storage/workspace-settings.ts';
import type { AnswerSources, RetrievedPassage } from './citations.ts';

type EngineCitation = Extract<EngineEvent, { type: 'citation' | 'page_citation' }>;

/** Counts of what an engine produced and the output rules removed. */
export type Dropped = {
  actions: number;
  /** Links, images, URLs and tags. */
  links: number;
  citations: number;
  suggestions: number;
};

export const createDroppedCounts = (): Dropped => ({ actions: 0, links: 0, citations: 0, suggestions: 0 });

/** A citation with its position in the filtered answer, in UTF-16 units. Without a passage it cites the page. */
export type PlacedCitation = {
  passage: RetrievedPassage | undefined;
  quote: string;
  start: number;
  end: number;
};

/**
 * Filters what an engine produces: visible text, with only those links, images and tags that the passages contain, and citations of
 * exactly these passages. It works on a stream, so it holds back text until it can decide about it.
 */
export class OutputRules {
  readonly #sources: AnswerSources;
  readonly #dropped: Dropped;
  readonly #published: PublishedText;
  readonly #visible = new VisibleStream();
  readonly #unlinked: UnlinkedText;
  readonly #filter: AnswerFilter;
  readonly #toVisible = new OffsetMap();
  readonly #toUnlinked = new OffsetMap();
  readonly #toFiltered = new OffsetMap();
  #pending: PlacedCitation[] | undefined;
  #received = 0;

  constructor(sources: AnswerSources, dropped: Dropped) {
    this.#sources = sources;
    this.#dropped = dropped;
    this.#published = new PublishedText(
      [sources.passages, sources.nearest, toPublications(sources.contact)],
      sources.origins,
    );
    this.#unlinked = new UnlinkedText(this.#published);
    this.#filter = new AnswerFilter(this.#published);
  }

  /** Returns the text that can be sent now. */
  addText(delta: string): string {
    return this.#filterText(delta, false);
  }

  /** Returns the text that is still held back; call it last. */
  flush(): string {
    return this.#filterText('', true);
  }

  /** Returns false when the source does not contain the quote, or the position or quote is invalid. */
  cite(citation: EngineCitation): boolean {
    const { quote, start, end } = citation;
    const isPlaced = start >= 0 && end >= start && end <= this.#received;
    const passage =
      citation.type === 'citation'
        ? this.#sources.passages.find((retrieved) => retrieved === citation.passage)
        : undefined;
    const source = citation.type === 'citation' ? passage?.text : this.#sources.pageText;
    if (!isPlaced || quote === '' || !source?.includes(quote) || !isVisible(quote)) return false;
    this.#pending ??= [];
    this.#pending.push({ passage, quote, start, end });
    return true;
  }

  /** Returns the citations whose position in the filtered answer is final. */
  takePlaced(): PlacedCitation[] {
    const ready: PlacedCitation[] = [];
    while (this.#pending?.[0] && this.#isFinal(this.#pending[0])) {
      const citation = this.#pending.shift()!;
      const [start, end] = [this.#mapOffset(citation.start), this.#mapOffset(citation.end)];
      ready.push({ ...citation, start, end });
    }
    return ready;
  }

  /** Filters a single line such as a label or a title. */
  cleanLine(text: string, charsMax: number): string {
    const { text: allowed, dropped: links } = filterAnswer(cleanLabel(text, charsMax), this.#published);
    this.#dropped.links += links;
    return cleanLabel(allowed, charsMax);
  }

  #filterText(delta: string, isLast: boolean): string {
    this.#received += delta.length;
    const before = this.#filter.dropped + this.#unlinked.dropped;
    const visible = pushThrough(this.#visible, delta, isLast, this.#toVisible);
    const unlinked = pushThrough(this.#unlinked, visible, isLast, this.#toUnlinked);
    const filtered = pushThrough(this.#filter, unlinked, isLast, this.#toFiltered);
    this.#dropped.links += this.#filter.dropped + this.#unlinked.dropped - before;
    return filtered;
  }

  #isFinal({ end }: PlacedCitation): boolean {
    const visible = this.#toVisible.toOutputOffset(end);
    return (
      end <= this.#toVisible.consumed &&
      visible <= this.#toUnlinked.consumed &&
      this.#toUnlinked.toOutputOffset(visible) <= this.#toFiltered.consumed
    );
  }

  #mapOffset(offset: number): number {
    const visible = this.#toVisible.toOutputOffset(offset);
    return this.#toFiltered.toOutputOffset(this.#toUnlinked.toOutputOffset(visible));
  }
}

/** Counts the contact as published, so that the guide may write out its links. */
function toPublications(contact: Contact = {}): readonly Publication[] {
  return [{ title: Object.values(contact).join(' ') }];
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
export function* splitDelta(text: string, answer: { text: string }): Generator<string> {
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
