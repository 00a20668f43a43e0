import { randomUUID } from 'node:crypto';
import type { AnonymousQuestion } from '../storage/events.ts';
import type { EventSubject } from '../visitors/consent/event-subject.ts';
import { normalizeQuestion } from './normalize-question.ts';

/** Whether the words of this visitor are kept only if the workspace keeps those of undecided visitors. */
export const isUndecided = ({ visitorId, isLibrary }: EventSubject): boolean =>
  visitorId === undefined && !isLibrary;

const HOUR_MILLIS = 3_600_000;

/** Neither the id nor the time, which is that of the hour, leads to the turn or the search. */
export function toAnonymousQuestion(
  question: string,
  atMillis: number,
  found: Pick<AnonymousQuestion, 'locale' | 'path' | 'nearestArticleId' | 'results'>,
): AnonymousQuestion {
  const { key, shown } = normalizeQuestion(question);
  const askedAt = Math.floor(atMillis / HOUR_MILLIS) * HOUR_MILLIS;
  return { id: randomUUID(), askedAt, key, question: shown, ...found };
}
