/** Asks short messages in a browser that prefers English, and compares the language of the answer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { CHAT_TAGS, getPhrases } from '../server/base/guide-languages.ts';
import { openHarness } from '../test/support/harness.ts';
import type { Seed } from '../test/support/seeds.ts';
import { chooseHalf, type Half } from './turns.ts';

const file = z.strictObject({
  english: z.array(z.string()),
  other: z.array(z.strictObject({ language: z.enum(CHAT_TAGS), message: z.string() })),
});

type LanguageMessage = { language: string; message: string; half: Half };

export type AnsweredMessage = LanguageMessage & {
  /** Languages of the guide that have the answer's sentence; none if it quotes an article. */
  answeredIn: readonly string[];
};

/** Returns the messages of eval/data/english-messages.yaml with the language in which they should be answered. */
export function readLanguageMessages(): LanguageMessage[] {
  const path = join(import.meta.dirname, 'data/english-messages.yaml');
  const { english, other } = file.parse(parseYaml(readFileSync(path, 'utf8')));
  return [...english.map((message) => ({ language: 'en', message })), ...other].map((one) => ({
    ...one,
    half: chooseHalf(one.message),
  }));
}

/** An article that answers none of the messages, so that the guide replies with sentences of its own. */
const UNRELATED: Seed = {
  slug: 'geyser',
  locale: 'en',
  title: 'Why geysers erupt',
  answer: 'Rock far below heats groundwater above its boiling point until steam pushes it out.',
};

export async function runLanguageMessages(
  half?: string,
  env: Readonly<Record<string, string>> = {},
): Promise<AnsweredMessage[]> {
  const harness = await openHarness({ env, articles: [UNRELATED] });
  try {
    const headers = { 'accept-language': 'en' };
    const answered: AnsweredMessage[] = [];
    for (const [number, one] of readLanguageMessages().entries()) {
      if ((half ?? one.half) !== one.half) continue;
      // Stays below the rate limits.
      harness.clock.advance(1000);
      const { jwt } = await harness.boot({}, headers);
      const body = { message: one.message, conversation_id: `conv-of-language-${number}`, turn_idx: 0 };
      const events = await harness.ask(jwt, { ...body, dom_digest: 'main > h1 Help' }, headers);
      const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
      answered.push({ ...one, answeredIn: findLanguages(text) });
    }
    return answered;
  } finally {
    await harness.close();
  }
}

function findLanguages(text: string): string[] {
  return CHAT_TAGS.filter((language) =>
    Object.values(getPhrases(language)).some((phrase) => {
      const start = phrase.split('{')[0]!;
      return start !== '' && text.startsWith(start);
    }),
  );
}
