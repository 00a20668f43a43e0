import type { EngineEvent, EngineQuestion } from '../engine/engine.ts';
import { createAnswerFilter, filterAnswer } from '../untrusted/answer-filter.ts';
import { cleanLabel } from '../untrusted/clean-text.ts';
import { createOffsetMap } from '../untrusted/offset-map.ts';
import { createPublishedText } from '../untrusted/published-text.ts';
import { createVisibleStream, isVisible, type Piece } from '../untrusted/visible-text.ts';
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
export type OutputRules = {
  /** What the visitor may read of it now. */
  text(delta: string): string;
  /** False when there is nothing in the passages that it could cite. */
  cite(event: EngineCitation): boolean;
  /** The citations whose place in the answer is settled by now. */
  placed(): PlacedCitation[];
  /** What was held back; nothing comes after it. */
  rest(): string;
  /** A line such as a label or a title. */
  line(text: string, charsMax: number): string;
};

export function createOutputRules(sources: Sources, dropped: Dropped): OutputRules {
  const published = createPublishedText(
    [
      ...sources.passages.flatMap(({ title, text }) => [title, text]),
      ...sources.nearest.map(({ title }) => title),
    ],
    [...sources.passages, ...sources.nearest].flatMap(({ url }) => url ?? []),
  );
  const visible = createVisibleStream();
  const filter = createAnswerFilter(published);
  const toVisible = createOffsetMap();
  const toSaid = createOffsetMap();
  const waiting: EngineCitation[] = [];
  let told = 0;

  const settle = (delta: string, isLast: boolean): string => {
    told += delta.length;
    const before = filter.dropped;
    const said = through(filter, through(visible, delta, isLast, toVisible), isLast, toSaid);
    dropped.links += filter.dropped - before;
    return said;
  };

  return {
    text: (delta) => settle(delta, false),
    rest: () => settle('', true),
    cite(event) {
      const { passage, quote, start, end } = event;
      const isPlaced = start >= 0 && end >= start && end <= told;
      const isRetrieved = sources.passages.includes(passage);
      const isQuoted = quote !== '' && passage.text.includes(quote) && isVisible(quote);
      if (!isPlaced || !isRetrieved || !isQuoted) return false;
      waiting.push(event);
      return true;
    },
    placed() {
      const isSettled = ({ end }: EngineCitation) =>
        end <= toVisible.took && toVisible.at(end) <= toSaid.took;
      const ready: PlacedCitation[] = [];
      while (waiting[0] && isSettled(waiting[0])) {
        const event = waiting.shift()!;
        const place = (offset: number) => toSaid.at(toVisible.at(offset));
        ready.push({ event, start: place(event.start), end: place(event.end) });
      }
      return ready;
    },
    line(text, charsMax) {
      const { text: allowed, dropped: links } = filterAnswer(cleanLabel(text, charsMax), published);
      dropped.links += links;
      return cleanLabel(allowed, charsMax);
    },
  };
}

type Stage = { push(text: string, isLast: boolean): Piece[] };

function through(
  stage: Stage,
  text: string,
  isLast: boolean,
  map: ReturnType<typeof createOffsetMap>,
): string {
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
