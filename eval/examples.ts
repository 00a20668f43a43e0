/** Visitors' messages from which the guide learns what a message wants. No question of eval/turns is among them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { INTENTS } from './turns.ts';

/** What a message wants. A `question` is for the articles, although it may contain words of small talk. */
export const EXAMPLE_LABELS = [...INTENTS, 'abuse', 'question'] as const;

const messages = z.array(z.string().trim().min(1)).min(6);
const intentExamples = z.record(z.enum(EXAMPLE_LABELS), messages);
export type IntentExamples = z.infer<typeof intentExamples>;

/** `page`: wants a part of the page that is open. `information`: names something on it, but wants to know a fact. */
const pageExamples = z.strictObject({ page: messages, information: messages });
export type PageExamples = z.infer<typeof pageExamples>;

const INTENT_FOLDER = join(import.meta.dirname, '../server/chat/intent');

/** Returns the messages of every intent by language of the guide. */
export function readIntentExamples(): Record<string, IntentExamples> {
  return z.record(z.string(), intentExamples).parse(readJson(join(INTENT_FOLDER, 'examples.json')));
}

/** Returns the messages that do and do not ask for a part of the page, by language. */
export function readPageExamples(): Record<string, PageExamples> {
  return z.record(z.string(), pageExamples).parse(readJson(join(INTENT_FOLDER, 'page-examples.json')));
}

const labelledPage = z.strictObject({
  labels: z.array(z.string()).min(2),
  asks: z.record(z.string(), z.array(z.string())),
});
/** The labels of a page, and messages that want some of them, by label. */
export type LabelledPage = z.infer<typeof labelledPage>;

export function readLabelledPages(): readonly LabelledPage[] {
  return z.array(labelledPage).parse(readJson(join(import.meta.dirname, 'data/labelled-pages.json')));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
