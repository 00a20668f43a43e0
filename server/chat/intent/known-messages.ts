/** Messages whose intent is known without a model: the examples that the regression was fitted to. */
import { normalizeForSearch } from '../../text.ts';
import examples from './examples.json' with { type: 'json' };
import { learnWords } from './familiar-words.ts';
import type { Intent } from './recognize-intent.ts';

export type KnownMessage = {
  readonly intent: Intent;
  /** Undefined if it is understood in every language or common to several. */
  readonly language: string | undefined;
};

/** Small talk that is understood in every language. */
const UNIVERSAL: Partial<Record<Intent, string>> = {
  greeting: 'hi hello hey helo hallo hai hiya',
  thanks: 'thx thanks tnx ty tysm',
  goodbye: 'bye',
  praise: 'ok okay okey oki oh ah hm hmm top super perfect bravo cool lol haha hahaha wow',
  complaint: 'wtf',
  abuse: 'stfu fu',
};

const APOSTROPHES = /['’‘ʼ`´]/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns a message without case, accents, punctuation and different forms of the same character, for comparing. */
export function normalizeMessage(text: string): string {
  const words = normalizeForSearch(text.replace(APOSTROPHES, ''), 'und').match(WORD);
  return words?.join(' ') ?? text.trim();
}

/** Finds a message among the examples, also with letters repeated ("hellooo"). */
export function findKnownMessage(text: string, requested: string): KnownMessage | undefined {
  const message = normalizeMessage(text);
  const spellings = [message, message.replace(REPEATED, '$1'), message.replace(REPEATED, '$1$1')];
  const meanings = spellings.map((spelling) => MEANINGS.get(spelling)).find((found) => found);
  if (!meanings) return undefined;
  const [first] = meanings;
  const own = meanings.find(({ language }) => language === requested);
  return own ?? (meanings.length === 1 ? first : { intent: first!.intent, language: undefined });
}

const REPEATED = /(\p{L})\1{2,}/gu;

/** Whether all words of a message occur in examples of small talk. */
export const areFamiliar = learnWords(
  Object.values(examples).map(({ question: _, ...smallTalk }) => Object.values(smallTalk).flat().join('\n')),
);

/** The meanings of each message in the languages that have it. */
const MEANINGS = indexMessages();

function indexMessages(): ReadonlyMap<string, readonly KnownMessage[]> {
  const meanings = new Map<string, KnownMessage[]>();
  const add = (message: string, meaning: KnownMessage) => {
    const others = meanings.get(message);
    if (others) others.push(meaning);
    else meanings.set(message, [meaning]);
  };
  for (const [intent, words] of Object.entries(UNIVERSAL))
    for (const word of words.split(' ')) add(word, { intent: intent as Intent, language: undefined });
  for (const [language, byLabel] of Object.entries(examples))
    for (const [label, messages] of Object.entries(byLabel)) {
      if (label === 'question') continue;
      for (const message of messages) add(normalizeMessage(message), { intent: label as Intent, language });
    }
  return meanings;
}
