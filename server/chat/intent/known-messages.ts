/** Messages whose intent is known without a model: the examples that the regression was fitted to. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { CHAT_LANGUAGES } from '../../base/guide-languages.ts';
import { normalizeForSearch } from '../../base/text.ts';
import type { Intent } from './intents.ts';

export type KnownMessage = {
  intent: Intent;
  /** Undefined if it is understood in every language or common to several. */
  language: string | undefined;
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
  while (!indexing.next().done);
  const found = spellings.map((spelling) => meanings.get(spelling)).find((each) => each);
  if (!found) return undefined;
  const [first] = found;
  const own = found.find(({ language }) => language === requested);
  return own ?? (found.length === 1 ? first : { intent: first!.intent, language: undefined });
}

const REPEATED = /(\p{L})\1{2,}/gu;

/** The meanings of each message in the languages that have it. */
const meanings = new Map<string, KnownMessage[]>();
const indexing = indexMessages();

/** Reads the examples of one language after the other; this takes a few milliseconds each. */
function* indexMessages(): Generator<void> {
  for (const [intent, words] of Object.entries(UNIVERSAL))
    for (const word of words.split(' ')) addMeaning(word, { intent: intent as Intent, language: undefined });
  for (const [language, { examples }] of CHAT_LANGUAGES) {
    for (const [label, messages] of Object.entries(examples)) {
      if (label === 'question') continue;
      for (const message of messages)
        addMeaning(normalizeMessage(message), { intent: label as Intent, language });
    }
    yield;
  }
}

function addMeaning(message: string, meaning: KnownMessage): void {
  const others = meanings.get(message);
  if (others) others.push(meaning);
  else meanings.set(message, [meaning]);
}

/** Reads all examples, and lets other work run in between. The first message does it at once if this was not called. */
export async function prepareIntents(): Promise<void> {
  while (!indexing.next().done) await yieldToEventLoop();
}
