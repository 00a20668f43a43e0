import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { isUndecided, toAnonymousQuestion } from '../chat/anonymous-question.ts';
import { normalizeQuestion } from '../chat/normalize-question.ts';
import type { CountedSearch } from '../knowledge/help-articles.ts';
import type { Store } from '../storage/store.ts';
import { getEventSubject, toEventRow } from '../visitors/consent/event-subject.ts';
import { hasGpcHeader, readCallerConsent } from '../visitors/consent/visitor-consent.ts';

type Deps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  log: Log;
  erasedVisitors: { has(erasureKey: string): boolean };
};

export type SearchCounter = {
  count(search: CountedSearch): void;
  /** Writes the searches that nothing has followed. */
  save(): Promise<void>;
};

/** A search that follows another one sooner is its continuation: the panel searches while one types. */
const PAUSE_MILLIS = 10_000;
/** Searches beyond are not counted. */
const PENDING_MAX = 10_000;

/**
 * Counts searches in the articles as event rows, once the visitor has typed to the end. Their words follow the rules of
 * questions.
 */
export function createSearchCounter({ store, clock, log, erasedVisitors }: Deps): SearchCounter {
  const pending = new Map<string, CountedSearch & { atMillis: number }>();

  async function write(search: CountedSearch & { atMillis: number }) {
    const { caller, headers, words, locale, results, atMillis } = search;
    if (erasedVisitors.has(caller.erasureKey)) return;
    const { id, settings } = caller.workspace;
    const { consents, events } = store.in(id);
    const gpc = hasGpcHeader(headers);
    const subject = getEventSubject(await readCallerConsent(caller, consents, gpc, clock.now()), caller);
    if (!subject) return;
    const isKept = isUndecided(subject) && settings.retention?.anonymousQuestions;
    await events.append(
      [
        toEventRow('search', subject, atMillis, {
          ...{ locale, results },
          ...(subject.keepsWords && !subject.isLibrary && { words: normalizeQuestion(words).shown }),
        }),
      ],
      isKept
        ? toAnonymousQuestion(words, atMillis, { locale, path: '', nearestArticleId: null, results })
        : undefined,
    );
  }

  return {
    count(search) {
      const { workspace, visitorId } = search.caller;
      const key = `${workspace.id} ${visitorId}`;
      const isKnown = pending.delete(key);
      if (isKnown || pending.size < PENDING_MAX) pending.set(key, { ...search, atMillis: clock.now() });
    },

    async save() {
      const beforeMillis = clock.now() - PAUSE_MILLIS;
      for (const [key, search] of pending) {
        // The oldest come first.
        if (search.atMillis > beforeMillis) return;
        pending.delete(key);
        await write(search).catch((error) => log.warn({ err: error }, 'failed to count a search'));
      }
    },
  };
}
