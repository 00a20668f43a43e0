/** The turns of eval/turns/*.yaml with their expected answers, and the articles they are about. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { CORPORA, type CorpusName, hash } from './corpora.ts';

/** Categories whose turns no article answers; a citation is wrong. */
export const WITHOUT_ARTICLE: readonly string[] = ['small-talk', 'off-topic', 'near-miss'];

export const CATEGORIES = [
  'question',
  'short',
  'misspelt',
  'paraphrase',
  'no-shared-word',
  'how-to',
  'definition',
  'follow-up',
  'two-questions',
  'untranslated',
  'page',
  ...WITHOUT_ARTICLE,
] as const;

export type Category = (typeof CATEGORIES)[number];

export const INTENTS = [
  'greeting',
  'thanks',
  'goodbye',
  'praise',
  'complaint',
  'identity',
  'capabilities',
  'person',
  'page',
  'gibberish',
  'order',
] as const;

const slugs = z.array(z.string()).min(1);

const turn = z.strictObject({
  category: z.enum(CATEGORIES),
  asks: z.string(),
  /** Slugs of the articles that answer the question; any of them is right. */
  gold: slugs.optional(),
  /** Slugs of the articles that answer the second question of a message. */
  goldOfSecond: slugs.optional(),
  /** The heading above the steps, in an article with several procedures. */
  under: z.string().optional(),
  intent: z.enum(INTENTS).optional(),
  /** The page that the visitor is on, one of `pages`. */
  page: z.string().optional(),
  /** The part of the page to point at; absent if the guide should point at none. */
  target: z.string().optional(),
});
export type Turn = z.infer<typeof turn>;

const single = turn.extend({ locale: z.string() });
const several = z.strictObject({ locale: z.string(), turns: z.array(turn).min(2) });

const pageTarget = z.strictObject({ id: z.string(), role: z.string(), name: z.string() });
export type PageTarget = z.infer<typeof pageTarget>;

const file = z.strictObject({
  pages: z.record(z.string(), z.array(pageTarget)).default({}),
  conversations: z.array(z.union([single, several])),
});

export type Half = 'development' | 'test';

export type Conversation = {
  corpus: CorpusName;
  half: Half;
  /** The preferred language of the browser. */
  locale: string;
  turns: readonly Turn[];
  pages: Readonly<Record<string, readonly PageTarget[]>>;
};

export function readConversations(): Conversation[] {
  return CORPORA.flatMap((corpus) => {
    const folder = join(import.meta.dirname, 'turns');
    const files = readdirSync(folder).filter((name) => parse(name).name.split('.')[0] === corpus);
    return files.flatMap((name) => parseFile(corpus, readFileSync(join(folder, name), 'utf8')));
  });
}

function parseFile(corpus: CorpusName, text: string): Conversation[] {
  const { pages, conversations } = file.parse(parseYaml(text));
  return conversations.map((conversation) => {
    const { locale, turns } = 'turns' in conversation ? conversation : toConversation(conversation);
    return { corpus, half: getHalf(turns), locale, turns, pages };
  });
}

function toConversation({ locale, ...only }: z.infer<typeof single>) {
  return { locale, turns: [only] };
}

/** All conversations that begin with the same article are in the same half; without an article, the first message decides. */
function getHalf(turns: readonly Turn[]): Half {
  return chooseHalf(turns.find(({ gold }) => gold)?.gold?.[0] ?? turns[0]!.asks);
}

/** Chooses a half by a hash, so that the choice is random but repeatable. */
export function chooseHalf(key: string): Half {
  return hash(key) % 2 === 0 ? 'development' : 'test';
}
