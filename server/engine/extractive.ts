import { getPhrases } from '../phrases/phrases.ts';
import type {
  Engine,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
  EngineTarget,
  EngineUsage,
} from './engine.ts';

/**
 * The default engine, without API key or network. It quotes and cites the parts of the best passage that answer, verbatim, points at a
 * part of the page that the question names, and suggests further articles.
 */
export function createExtractiveEngine(): Engine {
  return {
    name: 'extractive',
    async *answer(question, signal) {
      if (signal.aborted) return;
      const best = question.passages[0];
      if (!question.found || !best || best.quotes.length === 0) yield* answerNothingFound(question);
      else yield* quoted(question, best);
    },
  };
}

const SUGGESTIONS_MAX = 3;
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

function* quoted(question: EngineQuestion, best: EnginePassage): Generator<EngineEvent> {
  let length = 0;
  for (const quote of mergeQuotes(best)) {
    const gap = length === 0 ? '' : '\n\n';
    yield { type: 'text', delta: gap + quote };
    const start = length + gap.length;
    length = start + quote.length;
    yield { type: 'citation', passage: best, quote, start, end: length };
  }
  const target = findNamedTarget(question);
  if (target) yield toPointAction(target);
  yield* suggestNext(question, best.articleId);
  yield { type: 'end', finishReason: 'stop', confidence: best.confidence, usage: NO_USAGE };
}

/** Joins adjacent spans into one quote with the text between them. */
function mergeQuotes(passage: EnginePassage): string[] {
  const inOrder = [...passage.quotes].sort((a, b) => a.start - b.start);
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of inOrder) {
    const last = spans.at(-1);
    if (last && passage.text.slice(last.end, start).trim() === '') last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans.map(({ start, end }) => passage.text.slice(start, end).trim()).filter((quote) => quote !== '');
}

/** Offers likely articles as choices, or says that no article matches; then how to reach the company. */
export function* answerNothingFound(
  question: EngineQuestion,
  usage: EngineUsage = NO_USAGE,
): Generator<EngineEvent> {
  const phrases = getPhrases(question.replyLocale);
  const titles = question.nearest.slice(0, SUGGESTIONS_MAX).map(({ title }) => `• ${title}`);
  const target = findNamedTarget(question);
  const isChoice = question.likely === true && titles.length > 0;
  const paragraphs = [
    ...(isChoice ? [`${phrases.unsure}\n${titles.join('\n')}`] : [phrases.nothingFound]),
    ...(!isChoice && titles.length > 0 ? [`${phrases.nearest}\n${titles.join('\n')}`] : []),
    ...(question.contact === undefined ? [] : [question.contact]),
  ];
  yield { type: 'text', delta: paragraphs.join('\n\n') };
  if (target) yield toPointAction(target);
  yield* suggestNext(question, undefined);
  yield {
    type: 'end',
    finishReason: 'no_knowledge',
    confidence: question.passages[0]?.confidence ?? 0,
    usage,
  };
}

/** Suggests other articles. */
export function* suggestNext(
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

function toPointAction(target: EngineTarget): EngineEvent {
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

/**
 * The target whose whole label occurs in the question; prefers the longest label, then the page's
 * confidence.
 */
function findNamedTarget(question: EngineQuestion): EngineTarget | undefined {
  if (question.page.targets.length === 0) return undefined;
  const questionStems = new Set(toStems(question.text));
  return question.page.targets
    .map((target) => ({ target, words: toStems(target.name) }))
    .filter(
      ({ words }) =>
        words.length > 0 && words.length <= LABEL_WORDS_MAX && words.every((word) => questionStems.has(word)),
    )
    .sort((a, b) => b.words.length - a.words.length || b.target.confidence - a.target.confidence)[0]?.target;
}

const STEM_CHARS = 5;

/**
 * Words of three characters or more, truncated so that inflected forms match. In scripts without
 * spaces every word counts.
 */
function toStems(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(segment);
    if (segment.length >= 3 || isDense) words.push([...segment].slice(0, STEM_CHARS).join(''));
  }
  return words;
}
