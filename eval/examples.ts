/** Visitors' messages from which the guide learns what a message wants. No question of eval/turns is among them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CHAT_LANGUAGES, type ChatLanguage } from '../server/base/guide-languages.ts';
import { INTENTS } from './turns.ts';

/** What a message wants. A `question` is for the articles, although it may contain words of small talk. */
export const EXAMPLE_LABELS = [...INTENTS, 'abuse', 'question'] as const;

type IntentExamples = ChatLanguage['examples'];
/** `page`: wants a part of the page that is open. `information`: names something on it, but wants to know a fact. */
type PageExamples = NonNullable<ChatLanguage['pageExamples']>;

/** Returns the messages of every intent by language of the guide. */
export function readIntentExamples(): Record<string, IntentExamples> {
  return Object.fromEntries(Array.from(CHAT_LANGUAGES, ([language, { examples }]) => [language, examples]));
}

/** Returns the messages that do and do not ask for a part of the page, by language. */
export function readPageExamples(): Record<string, PageExamples> {
  return Object.fromEntries(
    Array.from(CHAT_LANGUAGES).flatMap(([language, { pageExamples }]) =>
      pageExamples ? [[language, pageExamples]] : [],
    ),
  );
}

const labelledPage = z.strictObject({
  labels: z.array(z.string()).min(2),
  asks: z.record(z.string(), z.array(z.string())),
});
/** The labels of a page, and messages that want some of them, by label. */
type LabelledPage = z.infer<typeof labelledPage>;

export function readLabelledPages(): readonly LabelledPage[] {
  return z.array(labelledPage).parse(readJson(join(import.meta.dirname, 'data/labelled-pages.json')));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
