import { getPhrases, markLanguage } from '../base/guide-languages.ts';
import type {
  EmbedTexts,
  Engine,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
  EngineTarget,
  EngineUsage,
} from './engine.ts';
import { findTarget } from './page-target.ts';

/**
 * The default engine, without API key or network. It quotes and cites the parts of the best passage that answer, verbatim, points at a
 * part of the page that the visitor wants, and suggests further articles.
 *
 * @param embedTexts without it, parts of the page are found by words alone
 */
export function createExtractiveEngine(embedTexts?: EmbedTexts): Engine {
  return {
    name: 'extractive',
    async *answer(question, signal) {
      if (!signal.aborted) yield* answerWithoutModel(question, embedTexts);
    },
  };
}

/** @param usage the tokens of a model whose answer was not good enough */
export function answerWithoutModel(
  question: EngineQuestion,
  embedTexts: EmbedTexts | undefined,
  usage: EngineUsage = NO_USAGE,
): AsyncIterable<EngineEvent> | Iterable<EngineEvent> {
  const best = question.passages[0];
  if (question.fixedReply !== undefined) return answerWithReply(question, question.fixedReply, usage);
  return question.found && best && best.quotes.length > 0
    ? answerWithQuotes(question, best, embedTexts, usage)
    : answerNothingFound(question, embedTexts, usage);
}

function* answerWithReply(
  question: EngineQuestion,
  text: string,
  usage: EngineUsage,
): Generator<EngineEvent> {
  yield { type: 'text', delta: text };
  yield* suggestNext(question, undefined);
  yield { type: 'end', finishReason: 'stop', confidence: 1, usage };
}

const SUGGESTIONS_MAX = 3;
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

async function* answerWithQuotes(
  question: EngineQuestion,
  best: EnginePassage,
  embedTexts: EmbedTexts | undefined,
  usage: EngineUsage,
): AsyncGenerator<EngineEvent> {
  let length = 0;
  const quotes = mergeQuotes(best);
  const finding = findTarget(question, quotes, embedTexts);
  for (const [at, quote] of quotes.entries()) {
    const gap = at === 0 ? '' : isRow(quotes[at - 1]!) && isRow(quote) ? '\n' : '\n\n';
    yield { type: 'text', delta: gap + quote };
    const start = length + gap.length;
    length = start + quote.length;
    yield { type: 'citation', passage: best, quote, start, end: length };
  }
  const target = await finding;
  if (target) yield toPointAction(target);
  yield* suggestNext(question, best.articleId);
  yield { type: 'end', finishReason: 'stop', confidence: best.confidence, usage };
}

/** Whether a quote consists of rows of a table; others of the same table continue it. */
const isRow = (quote: string) => quote.startsWith('|') && quote.endsWith('|');

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
async function* answerNothingFound(
  question: EngineQuestion,
  embedTexts: EmbedTexts | undefined,
  usage: EngineUsage,
): AsyncGenerator<EngineEvent> {
  const finding = findTarget(question, [], embedTexts);
  const phrases = getPhrases(question.replyLocale);
  const titles = question.nearest
    .slice(0, SUGGESTIONS_MAX)
    .map(({ title, locale }) => `• ${markLanguage(title, locale, question.replyLocale)}`);
  const isChoice = question.likely && titles.length > 0;
  const introduction = isChoice ? phrases.unsure : phrases.nearest;
  const paragraphs = [
    ...(isChoice ? [] : [phrases.nothingFound]),
    ...(titles.length > 0 ? [[introduction, ...titles].join('\n')] : []),
    ...(question.contact === undefined ? [] : [question.contact]),
  ];
  yield { type: 'text', delta: paragraphs.join('\n\n') };
  const target = await finding;
  if (target) yield toPointAction(target);
  yield* suggestNext(question, undefined);
  yield {
    type: 'end',
    finishReason: 'no_knowledge',
    confidence: question.passages[0]?.confidence ?? 0,
    usage,
  };
}

/** Suggests articles other than the cited one. */
export function* suggestNext(
  question: EngineQuestion,
  citedArticleId: string | undefined,
): Generator<EngineEvent> {
  const others = [
    ...question.passages.map((passage) => ({ ...passage, locale: passage.contentLocale })),
    ...question.nearest,
  ].filter(({ articleId }) => articleId !== citedArticleId);
  const locales = new Map(others.map(({ title, locale }) => [title, locale]));
  const items = [...locales].slice(0, SUGGESTIONS_MAX).map(([title, locale]) => ({
    title: markLanguage(title, locale, question.replyLocale),
    message: title,
  }));
  if (items.length > 0) yield { type: 'suggestions', items };
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
