import type { Clock } from '../base/clock.ts';
import type { RequestContext } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import { toEventRow } from '../visitors/consent/event-subject.ts';
import { hasGpcHeader } from '../visitors/consent/visitor-consent.ts';
import { classifyUserAgent } from '../visitors/user-agent.ts';

type Rating = { articleId: string; contentLocale: string; rating: 'up' | 'down' };

/**
 * Counts a rating without its visitor, of whom the page knows nothing. As in the guide, browsers that send a privacy
 * signal are not counted, and programs are counted apart.
 */
export async function rateArticle(
  { store, clock }: { store: Pick<Store, 'in'>; clock: Clock },
  workspaceId: string,
  { articleId, contentLocale, rating }: Rating,
  { headers }: Pick<RequestContext, 'headers'>,
): Promise<void> {
  const userAgent = headers['user-agent'];
  const agent = userAgent ? classifyUserAgent(userAgent) : 'library';
  if (hasGpcHeader(headers) || agent === 'crawler') return;
  const data = { article_id: articleId, content_locale: contentLocale, rating };
  const row = toEventRow('article_feedback', { isLibrary: agent === 'library' }, clock.now(), data);
  await store.in(workspaceId).events.appendDeferred([row]);
}
