import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { findBotQuestion } from '../../phrases/bot-question.ts';
import { toPhraseLanguage } from '../../phrases/phrases.ts';
import { recognizeGibberish } from './gibberish.ts';
import type { SmallTalk } from './pattern.ts';
import { indexPatterns, matchLongest, type PatternIndex } from './pattern.ts';
import { LATIN } from './small-talk/latin.ts';
import { OTHER_SCRIPTS } from './small-talk/other-scripts.ts';
import { readWords, SIMPLIFIED_ONLY, TRADITIONAL_ONLY, type Word } from './words.ts';

/** The intent of a message besides a question for the articles. */
export type Intent =
  | 'greeting'
  | 'thanks'
  | 'goodbye'
  | 'praise'
  | 'complaint'
  | 'abuse'
  | 'identity'
  | 'capabilities'
  | 'person'
  | 'page'
  | 'gibberish'
  | 'order';

export type RecognizedIntent = {
  readonly intent: Intent;
  /** The language of the reply. */
  readonly language: string;
  /** The rest of the message without the small talk: a question, or nothing. */
  readonly rest: string;
};

/** The intents in order of precedence, for messages with several. */
const INTENTS = [
  'order',
  'identity',
  'person',
  'abuse',
  'complaint',
  'page',
  'capabilities',
  'goodbye',
  'thanks',
  'praise',
  'greeting',
] as const;

/** Small talk that a question may follow without punctuation. */
const INTENTS_BEFORE_QUESTION: ReadonlySet<Intent> = new Set<Intent>([
  'greeting',
  'thanks',
  'praise',
  'capabilities',
  'complaint',
]);
const MAY_GIVE_REASONS: ReadonlySet<Intent> = new Set<Intent>([
  'person',
  'complaint',
  'goodbye',
  'thanks',
  'page',
]);

/** Recognizes a message that is small talk, or that begins or ends with it; otherwise undefined. */
export function recognizeIntent(text: string, requestedLocale: string): RecognizedIntent | undefined {
  const requested = toPhraseLanguage(requestedLocale);
  const words = readWords(text);
  const best = readInBestLanguage(words, requested);
  if (best?.intents.has('order'))
    return { intent: 'order', language: toVariant(best.language, text, requested), rest: '' };
  const botQuestion = findBotQuestion(text);
  if (botQuestion)
    return {
      intent: 'identity',
      language: toVariant(botQuestion.language, text, requested),
      rest: cleanRest(botQuestion.rest),
    };
  if (best) {
    const intent = INTENTS.find((candidate) => best.intents.has(candidate))!;
    return {
      intent,
      language: toVariant(best.language, text, requested),
      rest: sliceRest(text, words, best),
    };
  }
  const gibberish = recognizeGibberish(text);
  return gibberish && { intent: gibberish, language: requested, rest: '' };
}

/** Words `from` to `to` are the question; both are equal when there is none. `covered` counts the small-talk words. */
type Reading = {
  readonly language: string;
  readonly intents: ReadonlySet<Intent>;
  readonly from: number;
  readonly to: number;
  readonly covered: number;
};

function readInBestLanguage(words: readonly Word[], requested: string): Reading | undefined {
  let best: Reading | undefined;
  const clauses = splitClauses(words);
  for (const language of [requested, ...LANGUAGES]) {
    const reading = readSmallTalk(words, clauses, language);
    if (reading && reading.covered > (best?.covered ?? 0)) best = reading;
  }
  return best;
}

type Kind = Intent | 'filler';
type Grammar = {
  readonly phrases: PatternIndex<Kind>;
  readonly questionOpeners: PatternIndex<true>;
  readonly reasons: PatternIndex<true>;
};

const SMALL_TALK: Readonly<Record<string, SmallTalk>> = { ...LATIN, ...OTHER_SCRIPTS };
const LANGUAGES = Object.keys(SMALL_TALK);
const grammars = new Map<string, Grammar>();

/** Returns the grammar of a language, which is parsed when it is first needed. */
function getGrammar(language: string): Grammar {
  let grammar = grammars.get(language);
  if (!grammar) {
    grammar = parseGrammar(SMALL_TALK[language] ?? SMALL_TALK.en!);
    grammars.set(language, grammar);
  }
  return grammar;
}

/** Parses the patterns of every language in steps, so that the first message need not wait for all of them. */
export async function prepareIntents(): Promise<void> {
  for (const language of LANGUAGES) {
    getGrammar(language);
    await yieldToEventLoop();
  }
}

function parseGrammar(smallTalk: SmallTalk): Grammar {
  return {
    phrases: indexPatterns<Kind>([
      ...INTENTS.map((intent) => [intent, smallTalk[intent]] as const),
      ...Object.entries(UNIVERSAL).map(([kind, patterns]) => [kind as Kind, patterns] as const),
      ['filler', smallTalk.fillers],
    ]),
    questionOpeners: indexPatterns([[true, smallTalk.questionOpeners]]),
    reasons: indexPatterns([[true, smallTalk.reasons]]),
  };
}

/** Small talk that is understood in every language. */
const UNIVERSAL: Partial<Record<Kind, string>> = {
  greeting: 'hi/hello/hey/helo/hallo/hai/hiya',
  thanks: 'thx/thanks/tnx/ty/tysm',
  goodbye: 'bye [bye]/ciao',
  praise: 'ok/okay/okey/oki/top/super/perfect/bravo/cool/lol/haha/hahaha/wow',
  complaint: 'wtf',
  abuse: 'fuck [you|off]/stfu/fu',
  filler: 'ok/okay/oh/ah/hm/hmm/lol/haha/hahaha/pls/plz/bot/chatbot/ai/guidepost',
};

/**
 * Keeps only the greeting or praise when a phrase also matches another intent: "iyi günler" is a farewell too, and
 * patterns of complaints such as "not useful" have an optional "not" in some languages.
 */
function preferFriendly(intents: readonly Intent[]): readonly Intent[] {
  const friendly = (['greeting', 'praise'] as const).find((intent) => intents.includes(intent));
  return friendly ? [friendly] : intents;
}

/**
 * Reads small talk from word `from` on, adds its intents to `clauseIntents` and returns the position after it. An
 * order extends to the end of the message, a reason to the end of the clause.
 */
function readClause(
  words: readonly Word[],
  from: number,
  to: number,
  { phrases, reasons }: Grammar,
  clauseIntents: Set<Intent>,
): number {
  let at = from;
  while (at < to) {
    const match = matchLongest(phrases, words, at, to);
    if (!match) break;
    const intents = preferFriendly(match.values.filter((kind) => kind !== 'filler'));
    for (const intent of intents) clauseIntents.add(intent);
    at = match.end;
    const isOrder = intents.includes('order');
    if (isOrder) return words.length;
    if (at < to && intents.some((intent) => MAY_GIVE_REASONS.has(intent)) && matchLongest(reasons, words, at))
      return to;
  }
  return at;
}

function readSmallTalk(
  words: readonly Word[],
  clauses: readonly Clause[],
  language: string,
): Reading | undefined {
  const grammar = getGrammar(language);
  // Most messages begin with small talk in few languages or none.
  if (!clauses.some(([start]) => words[start]!.forms.some((form) => grammar.phrases.has(form))))
    return undefined;
  const intents = new Set<Intent>();
  let from = 0;
  for (const [start, end] of clauses) {
    const clauseIntents = new Set<Intent>();
    const readEnd = readClause(words, start, end, grammar, clauseIntents);
    if (readEnd < end && !continuesWithQuestion(words, readEnd, start, grammar, clauseIntents)) break;
    for (const intent of clauseIntents) intents.add(intent);
    from = readEnd;
    if (readEnd < end) break;
  }
  let to = words.length;
  for (const [start, end] of clauses.toReversed()) {
    if (start < from || end !== to) break;
    const clauseIntents = new Set<Intent>();
    if (readClause(words, start, end, grammar, clauseIntents) < end) break;
    for (const intent of clauseIntents) intents.add(intent);
    to = start;
  }
  if (intents.size === 0) return undefined;
  return {
    language,
    intents,
    from,
    to: Math.max(from, to),
    covered: from + words.length - Math.max(from, to),
  };
}

/** Whether a clause that begins with small talk continues with a question. */
function continuesWithQuestion(
  words: readonly Word[],
  at: number,
  start: number,
  { questionOpeners }: Grammar,
  clauseIntents: Set<Intent>,
): boolean {
  return (
    at > start &&
    [...clauseIntents].some((intent) => INTENTS_BEFORE_QUESTION.has(intent)) &&
    matchLongest(questionOpeners, words, at) !== undefined
  );
}

/** A range of words without punctuation in between. */
type Clause = readonly [start: number, end: number];

function splitClauses(words: readonly Word[]): Clause[] {
  const starts = words.flatMap(({ startsClause }, at) => (at === 0 || startsClause ? [at] : []));
  return starts.map((start, at) => [start, starts[at + 1] ?? words.length] as const);
}

/** Returns the question with its closing punctuation. */
function sliceRest(text: string, words: readonly Word[], { from, to }: Reading): string {
  if (from >= to) return '';
  const start = words[from]!.start;
  const end = words[to - 1]!.end;
  const marks = /^[^\p{L}\p{N}\s]*/u.exec(text.slice(end, end + 8))![0];
  return text
    .slice(findQuotedStart(text, start), to === words.length ? text.length : end + marks.length)
    .trim();
}

/** Returns the start of the text, including marks directly before the first word, such as ¿ or a quotation mark. */
function findQuotedStart(text: string, start: number): number {
  return start - /[¿¡"“„«'(#@$€£]*$/u.exec(text.slice(Math.max(0, start - 4), start))![0].length;
}

/** Chinese is answered in the script of the message, or in the preferred one if its characters are common to both. */
function toVariant(language: string, text: string, requested: string): string {
  if (language !== 'zh') return language;
  if (TRADITIONAL_ONLY.test(text)) return 'zh-Hant';
  return requested === 'zh-Hant' && !SIMPLIFIED_ONLY.test(text) ? 'zh-Hant' : 'zh';
}

const OTHER_WORDS_MIN = 6;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Drops a short rest, such as a greeting or "or a robot?", which is not another question. */
function cleanRest(rest: string): string {
  let count = 0;
  for (const { isWordLike } of segmenter.segment(rest)) if (isWordLike) count += 1;
  return count < OTHER_WORDS_MIN ? '' : rest.replace(/^[\s?!.,;:？！。，、؟]+/u, '');
}
