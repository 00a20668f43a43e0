import { fill } from '../embed/texts.ts';
import { type GuideError, isGuideError } from '../sdk/errors.ts';
import type { Page } from './page.ts';

/** Whether the link itself is what the service will not take: unknown, used, expired, or no link of ours at all. */
export function isDeadLink(error: unknown, code: 'setup/not_found' | 'invitation/not_found'): boolean {
  if (isGuideError(error, code)) return true;
  return isGuideError(error) && (error.issues ?? []).some(({ path }) => path === 'body.token');
}

/** Why something did not work, in a sentence for the person in front of it. */
export function troubleText(error: unknown, { texts, locale }: Page): string {
  if (!isGuideError(error)) return texts.broken;
  const reference = error.requestId ? ` ${fill(texts.reference, { id: error.requestId })}` : '';
  switch (error.code) {
    case 'network':
    case 'timeout':
    case 'protocol':
      return texts.network;
    case 'rate_limit/exceeded':
      return fill(texts.rateLimited, { time: timeAfter(error, locale) });
    case 'server/overloaded':
    case 'server/shutting_down':
    case 'storage/unavailable':
      return texts.busy;
    case 'session/cross_site':
      return texts.crossSite;
    default:
      return texts.broken + reference;
  }
}

function timeAfter({ retryAfterSeconds = 60 }: GuideError, locale: string): string {
  const then = new Date(Date.now() + retryAfterSeconds * 1000);
  return then.toLocaleTimeString(locale, { timeStyle: retryAfterSeconds < 120 ? 'medium' : 'short' });
}
