import { newId } from '../../server/base/ids.ts';
import { hashContent } from '../../server/knowledge/article-content.ts';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import type { ImportedArticle } from '../../server/storage/article-import.ts';
import type { ChainedConsent, NewConsent } from '../../server/storage/consents.ts';
import type { CloseTurn, OpenTurn } from '../../server/storage/conversations.ts';
import type { EventRow } from '../../server/storage/event-queries.ts';
import type { ArticleContent, IndexedText } from '../../server/storage/passages.ts';
import type { Store } from '../../server/storage/store.ts';
import type { WorkspaceSettings } from '../../server/storage/workspace-settings.ts';
import type { NewWorkspace } from '../../server/storage/workspaces.ts';
import { SETTINGS } from './seeds.ts';

/** Sweeps until nothing is due, because one step runs for a limited time; returns the sums of all steps. */
export async function sweepAll(store: Pick<Store, 'sweep'>, nowMillis: number) {
  const swept = { conversations: 0, events: 0, interrupted: 0 };
  for (let more = true; more; ) {
    const step = await store.sweep(nowMillis);
    swept.conversations += step.conversations;
    swept.events += step.events;
    swept.interrupted += step.interrupted;
    more = step.more;
  }
  return swept;
}

export const MORNING = Date.UTC(2026, 10, 21, 8);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export function settings(changes: Partial<WorkspaceSettings> = {}): WorkspaceSettings {
  return {
    ...SETTINGS,
    features: { ...SETTINGS.features, screenshot: false },
    suggestions: ['Where is my order?'],
    ...changes,
  };
}

export function workspace(changes: Partial<NewWorkspace> = {}): NewWorkspace {
  const id = newId('ws');
  return { id, appId: `gp_${id}`, name: 'Shop', settings: settings(), createdAt: MORNING, ...changes };
}

export function event(changes: Partial<EventRow> = {}): EventRow {
  return {
    id: newId('evt'),
    atMillis: MORNING,
    type: 'boot',
    data: { locale: 'en', bot: false },
    ...changes,
  };
}

export const TOMBSTONE = { mark: 'erased', atMillis: MORNING };

export function openTurn(changes: Partial<OpenTurn> = {}): OpenTurn {
  return {
    messageId: newId('msg'),
    conversationId: newId('conv'),
    visitorId: newId('vp'),
    turnIdx: 0,
    question: 'Where is my order?',
    requestedLocale: 'en',
    askedAt: MORNING,
    ...changes,
  };
}

export function closeTurn(messageId: string, changes: Partial<CloseTurn> = {}): CloseTurn {
  return {
    messageId,
    attempt: 1,
    answer: 'On its way.',
    frames: ['{"type":"message_start","seq":0}', '{"type":"message_end","seq":1}'],
    requestedLocale: 'en',
    state: 'complete',
    finishReason: 'stop',
    finishedAt: MORNING + 1_000,
    ...changes,
  };
}

type Previous = Parameters<NewConsent['chain']>[0];

/**
 * Stands in for the consent log: it records what the store passed in, for `isUnbroken` to check.
 */
function chainVisibly(id: string): NewConsent['chain'] {
  return (previous) => {
    const previousHash = previous.hash ?? 'genesis';
    return {
      content: JSON.stringify({ id, ...previous }),
      previousHash,
      hash: `${previousHash.slice(-8)}>${id}`,
    };
  };
}

export function contentOf(chained: ChainedConsent): Previous & { id: string } {
  return JSON.parse(chained.content);
}

/** Returns whether each record follows the one before, without gaps from the first record on. */
export function isUnbroken(chain: readonly ChainedConsent[]): boolean {
  return chain.every(
    (link, index) =>
      link.position === index + 1 &&
      link.previousHash === (chain[index - 1]?.hash ?? 'genesis') &&
      contentOf(link).id === link.id &&
      contentOf(link).position === index,
  );
}

export function consent(changes: Partial<NewConsent> = {}): NewConsent {
  const id = changes.id ?? newId('con');
  return {
    id,
    visitorId: newId('vp'),
    newSubjectId: newId('sub'),
    currentDecision: currentDecision(),
    chain: chainVisibly(id),
    forgetEvents: false,
    events: [],
    ...changes,
  };
}

export function currentDecision(decision = 'accepted') {
  return { decision, mode: 'opt_in', policyVersion: '2026-11-01.1', regionCode: 'DE', decidedAt: MORNING };
}

type Text = { title?: string; answer: string; url?: string };

/** An article as an import passes it in, with translations by locale. */
export function article(
  slug: string,
  text: Text,
  translations: Readonly<Record<string, Text>> = {},
): ImportedArticle {
  const source = imported(slug, 'en', text);
  return {
    ...source,
    idIfNew: newId('art'),
    slug,
    translations: Object.entries(translations).map(([locale, translated]) => ({
      ...imported(slug, locale, translated),
      idIfNew: newId('tr'),
    })),
  };
}

function imported(slug: string, locale: string, { title = slug, answer, url }: Text) {
  const content: ArticleContent = { title, answer, aliases: [], url };
  return {
    locale,
    content,
    contentHash: hashContent(content),
    searchSummary: answer.slice(0, 280),
    indexed: indexed(slug, locale, content),
  };
}

function indexed(slug: string, locale: string, content: ArticleContent): IndexedText {
  const text = { articleId: '', slug, locale, revision: 1, sourceRevision: 1, stale: false, ...content };
  const { articleId: _a, revision: _r, sourceRevision: _s, stale: _st, ...rest } = indexPassage(text);
  return rest;
}
