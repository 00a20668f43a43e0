import { CHAT_TAGS, toChatLanguage } from '../../base/guide-languages.ts';
import type { EmbedMessages } from '../../knowledge/embeddings/similarity.ts';
import { findBotQuestion } from './bot-question.ts';
import { countWords } from './count-words.ts';
import { detectLanguage, hasLettersOf } from './detect-language.ts';
import { recognizeGibberish } from './gibberish.ts';
import { INTENTS, type Intent, WORDS_MIN } from './intents.ts';
import { findKnownMessage, type KnownMessage } from './known-messages.ts';
import { type Prediction, predictIntent } from './predict-intent.ts';

export type RecognizedIntent = {
  intent: Intent;
  /** The language of the reply. */
  language: string;
  /** The rest of the message without the small talk: a question, or nothing. */
  rest: string;
  /** Whether it holds even if an article answers the message. */
  isSure: boolean;
};

/** Small talk before or after a question that is left out of the search. */
const POLITE: ReadonlySet<Prediction['intent']> = new Set([
  'greeting',
  'thanks',
  'goodbye',
  'praise',
] as const);

/**
 * Recognizes a message that is small talk, or that begins or ends with it; otherwise undefined.
 * @param embedMessages without it, only messages that equal an example are recognized
 */
export async function recognizeIntent(
  text: string,
  requestedLocale: string,
  embedMessages: EmbedMessages | undefined,
): Promise<RecognizedIntent | undefined> {
  const requested = toChatLanguage(requestedLocale);
  const botQuestion = findBotQuestion(text);
  if (!botQuestion) return recognizeSmallTalk(text, requested, embedMessages);
  const rest = cleanRest(botQuestion.rest);
  const other = rest === '' ? undefined : await recognizeSmallTalk(rest, requested, embedMessages);
  if (other?.intent === 'order') return other;
  const language = toVariant(botQuestion.language, text, requested);
  return { intent: 'identity', language, rest: other?.rest ?? rest, isSure: true };
}

async function recognizeSmallTalk(
  text: string,
  requested: string,
  embedMessages: EmbedMessages | undefined,
): Promise<RecognizedIntent | undefined> {
  const parts = splitClauses(text);
  const texts = [text, ...parts.map((part) => part.text)];
  const known = texts.map((each) => findKnownMessage(each, requested));
  const [whole, ...predicted] = await predictUnknown(texts, known, embedMessages);
  const toReply = (intent: Intent, isSure = true, rest = ''): RecognizedIntent => ({
    intent,
    language: toVariant(findLanguage(text, known, requested), text, requested),
    ...{ rest, isSure },
  });
  const intents = predicted.map((prediction) => prediction?.intent);
  if (isIntent(whole?.intent) && !intents.includes('question')) return toReply(whole.intent, whole.isSure);
  if (intents.length > 0 && intents.every(isIntent))
    return toReply(
      INTENTS.find((intent) => intents.includes(intent))!,
      predicted.every((prediction) => prediction?.isSure),
    );
  const first = intents.findIndex((intent) => !POLITE.has(intent));
  if (intents[first] === 'order') return toReply('order');
  const last = intents.findLastIndex((intent) => !POLITE.has(intent));
  const polite = intents.find((_, at) => at < first || at > last);
  if (isIntent(polite))
    return toReply(polite, true, text.slice(parts[first]!.start, parts[last]!.end).trim());
  const gibberish = recognizeGibberish(text);
  return gibberish && { intent: gibberish, language: requested, rest: '', isSure: true };
}

const isIntent = (intent: Prediction['intent']): intent is Intent =>
  intent !== undefined && intent !== 'question';

const CHARS_MAX = 1_000;

/** Predicts the intents of the texts that are no examples. */
async function predictUnknown(
  texts: readonly string[],
  known: readonly (KnownMessage | undefined)[],
  embedMessages: EmbedMessages | undefined,
): Promise<(Prediction | undefined)[]> {
  const unknown = texts.filter(
    (text, at) => !known[at] && text.length <= CHARS_MAX && countWords(text) >= WORDS_MIN,
  );
  const isWhollyKnown = known[0] !== undefined || (known.length > 1 && known.slice(1).every((part) => part));
  const embedded = unknown.length === 0 || isWhollyKnown ? undefined : await embedMessages?.(unknown);
  return texts.map((text, at) => {
    const vector = embedded?.vectors[unknown.indexOf(text)];
    const intent = known[at]?.intent;
    return intent ? { intent, isSure: true } : vector && predictIntent(embedded!.model, vector);
  });
}

type Clause = { text: string; start: number; end: number };

/** Punctuation between clauses; a full stop or comma inside of a number or address is none. */
const CLAUSE =
  /(?:[^.,;:!?…\n。、，．！？；：؟،؛।~～\p{Extended_Pictographic}]|[.,:;!?](?=[^\s.,:;!?]))+[^\p{L}\p{N}\n¿¡"“„«'(#@$€£]*/gu;
/** Of a longer message, the first and the last clauses are read. */
const CLAUSES_READ = 3;

function splitClauses(text: string): Clause[] {
  const clauses = [...text.matchAll(CLAUSE)]
    .filter(([clause]) => /[\p{L}\p{N}]/u.test(clause))
    .map(({ 0: clause, index }) => ({ text: clause.trim(), start: index, end: index + clause.length }));
  if (clauses.length < 2) return [];
  if (clauses.length <= 2 * CLAUSES_READ) return clauses;
  const between = { start: clauses[CLAUSES_READ]!.start, end: clauses.at(-CLAUSES_READ - 1)!.end };
  return [
    ...clauses.slice(0, CLAUSES_READ),
    { ...between, text: text.slice(between.start, between.end) },
    ...clauses.slice(-CLAUSES_READ),
  ];
}

/** The language of the example that the message or its first part equals, or that the message is clearly in. */
function findLanguage(text: string, known: readonly (KnownMessage | undefined)[], requested: string): string {
  const [whole, ...parts] = known;
  if (whole && whole.language === undefined) return requested;
  const ofExample = whole?.language ?? parts.find((part) => part?.language)?.language;
  return ofExample ?? detectLanguage(text, CHAT_TAGS, requested) ?? requested;
}

/** Chinese is answered in the script of the message, or in the preferred one if its characters are common to both. */
function toVariant(language: string, text: string, requested: string): string {
  if (language !== 'zh' && language !== 'zh-Hant') return language;
  if (hasLettersOf('zh-Hant', text)) return 'zh-Hant';
  return requested === 'zh-Hant' && !hasLettersOf('zh', text) ? 'zh-Hant' : 'zh';
}

const OTHER_WORDS_MIN = 6;

/** Drops a short rest, such as a greeting or "or a robot?", which is not another question. */
function cleanRest(rest: string): string {
  return countWords(rest.slice(0, CHARS_MAX)) < OTHER_WORDS_MIN
    ? ''
    : rest.replace(/^[\s?!.,;:？！。，、؟]+/u, '');
}
