import type {
  Engine,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
  EngineTarget,
  EngineUsage,
} from './engine.ts';
import { phrasesFor } from './phrases.ts';

/**
 * The embedded engine: no key, no network, no invention. It quotes the best sentences of the best passage verbatim and cites them, says
 * so when nothing fits, points at a part of the page that the question names, and offers what else there is to read.
 */
export function createExtractiveEngine(): Engine {
  return {
    name: 'extractive',
    forgetful: true,
    async *answer(question, signal) {
      if (signal.aborted) return;
      const best = question.passages[0];
      if (!question.found || !best || best.sentences.length === 0) yield* nothingFound(question);
      else yield* quoted(question, best);
    },
  };
}

const SUGGESTIONS_MAX = 3;
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

function* quoted(question: EngineQuestion, best: EnginePassage): Generator<EngineEvent> {
  let length = 0;
  for (const quote of quotesOf(best)) {
    const gap = length === 0 ? '' : '\n\n';
    yield { type: 'text', delta: gap + quote };
    const start = length + gap.length;
    length = start + quote.length;
    yield { type: 'citation', passage: best, quote, start, end: length };
  }
  const target = targetNamedIn(question);
  if (target) yield pointAt(target);
  yield* nextSteps(question, best.articleId);
  yield { type: 'end', finishReason: 'stop', confidence: best.confidence, usage: NO_USAGE };
}

/** Neighbouring sentences are one quote, with exactly what stands between them. */
function quotesOf(passage: EnginePassage): string[] {
  const inOrder = [...passage.sentences].sort((a, b) => a.start - b.start);
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of inOrder) {
    const last = spans.at(-1);
    if (last && passage.text.slice(last.end, start).trim() === '') last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans.map(({ start, end }) => passage.text.slice(start, end).trim()).filter((quote) => quote !== '');
}

/** Says that nothing published fits, with what comes nearest. */
export function* nothingFound(
  question: EngineQuestion,
  usage: EngineUsage = NO_USAGE,
): Generator<EngineEvent> {
  const phrases = phrasesFor(question.requestedLocale);
  const titles = question.nearest.slice(0, SUGGESTIONS_MAX).map(({ title }) => `• ${title}`);
  const target = targetNamedIn(question);
  yield { type: 'text', delta: phrases.nothingFound };
  if (titles.length > 0) yield { type: 'text', delta: `\n\n${phrases.nearest}\n${titles.join('\n')}` };
  if (target) yield pointAt(target);
  yield* nextSteps(question, undefined);
  yield {
    type: 'end',
    finishReason: 'no_knowledge',
    confidence: question.passages[0]?.confidence ?? 0,
    usage,
  };
}

/** What else there is to read. */
export function* nextSteps(
  question: EngineQuestion,
  citedArticleId: string | undefined,
): Generator<EngineEvent> {
  const others = [...question.passages, ...question.nearest].filter(
    ({ articleId }) => articleId !== citedArticleId,
  );
  const titles = [...new Set(others.map(({ title }) => title))].slice(0, SUGGESTIONS_MAX);
  if (titles.length > 0)
    yield { type: 'suggestions', items: titles.map((title) => ({ title, message: title })) };
}

function pointAt(target: EngineTarget): EngineEvent {
  return {
    type: 'action',
    kind: target.inViewport ? 'highlight' : 'scroll_to',
    gpId: target.gpId,
    label: target.name,
    reason: target.name,
  };
}

const LABEL_WORDS_MAX = 6;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The target whose whole label the question names; the longest label wins, then the page's own confidence. */
function targetNamedIn(question: EngineQuestion): EngineTarget | undefined {
  if (question.page.targets.length === 0) return undefined;
  const asked = new Set(wordsOf(question.text));
  return question.page.targets
    .map((target) => ({ target, words: wordsOf(target.name) }))
    .filter(
      ({ words }) =>
        words.length > 0 && words.length <= LABEL_WORDS_MAX && words.every((word) => asked.has(word)),
    )
    .sort((a, b) => b.words.length - a.words.length || b.target.confidence - a.target.confidence)[0]?.target;
}

const STEM_CHARS = 5;

/** Words long enough to mean something, cut so that inflected forms meet. Scripts without spaces count each word. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(segment);
    if (segment.length >= 3 || isDense) words.push([...segment].slice(0, STEM_CHARS).join(''));
  }
  return words;
}
