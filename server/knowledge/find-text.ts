import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { findText, TextMatch } from '../../contract/find-text.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { escapePattern } from '../base/text.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { StoredText } from '../storage/stored-texts.ts';
import { normalizeLocale } from './article-content.ts';

const TEXTS_PER_READ = 50;
/** One request reads no more; the next page continues. */
const TEXTS_MAX = 1_000;

/** Finds words in working copies, to replace them. */
export function findTextHandlers({ store }: { store: Pick<Store, 'in'> }): Handlers<typeof findText> {
  return {
    async findText({ caller, query, ctx }) {
      const { texts } = store.in(caller.workspace.id);
      const locale = query.locale === undefined ? undefined : normalizeLocale(query.locale, 'query.locale');
      const pattern = new RegExp(escapePattern(query.words), query.matchCase === 'true' ? 'gu' : 'giu');
      const data: TextMatch[] = [];
      let beforeId = query.cursor && decodeCursor(query.cursor, /^(?:art|tr)_[0-9a-z]{26}$/)[0];
      for (let read = 0; read < TEXTS_MAX && !ctx.signal.aborted; read += TEXTS_PER_READ) {
        const batch = await texts.list({ locale, limit: TEXTS_PER_READ, beforeId });
        for (const text of batch) {
          beforeId = text.translationId ?? text.articleId;
          const hits = findHits(text, pattern);
          if (hits.length > 0) data.push(toMatch(text, hits));
          if (data.length === query.limit) break;
        }
        if (data.length < query.limit && batch.length < TEXTS_PER_READ)
          return { status: 200, body: { data } };
        if (data.length === query.limit) break;
        await yieldToEventLoop();
      }
      return { status: 200, body: { data, ...(beforeId ? { nextCursor: encodeCursor(beforeId) } : {}) } };
    },
  };
}

function toMatch(
  { articleId, translationId, locale, title, revision, liveHash, contentHash }: StoredText,
  hits: TextMatch['hits'],
): TextMatch {
  return { articleId, translationId, locale, title, revision, live: liveHash === contentHash, hits };
}

function findHits(text: StoredText, pattern: RegExp): TextMatch['hits'] {
  const fields = ['title', 'answer'] as const;
  const hits = fields.flatMap((field) =>
    Array.from(text[field].matchAll(pattern), ({ 0: match, index }) => ({
      field,
      at: index,
      match,
      ...toContext(text[field], index, index + match.length),
    })),
  );
  return hits.slice(0, ARTICLE_LIMITS.findHitsMax);
}

/** Returns what stands around a hit on its line. */
function toContext(text: string, from: number, to: number) {
  const chars = ARTICLE_LIMITS.findContextChars;
  const before = text
    .slice(Math.max(0, from - chars), from)
    .split('\n')
    .at(-1)!;
  const after = text.slice(to, to + chars).split('\n', 1)[0]!;
  return { before: before.toWellFormed(), after: after.toWellFormed() };
}
