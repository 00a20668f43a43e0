import { type GuideError, isGuideError } from '../sdk/index.ts';
import { fill, type Wording } from './texts.ts';

/** What went wrong, in a sentence for the visitor, and whether trying again can help. */
export type Trouble = {
  readonly sentence: string;
  readonly retryable: boolean;
  /** How long trying again is of no use. */
  readonly waitSeconds?: number;
};

export function troubleOf(error: unknown, { texts, locale }: Wording): Trouble {
  if (!isGuideError(error)) return { sentence: texts.broken, retryable: true };
  const { code, retryAfterSeconds, status } = error;
  if (code === 'network' && !navigator.onLine) return { sentence: texts.offline, retryable: true };
  if (code === 'network' || code === 'timeout') return { sentence: texts.unreachable, retryable: true };
  if (code === 'rate_limit/exceeded' || status === 429) {
    const waitSeconds = retryAfterSeconds ?? 60;
    const time = timeAfter(waitSeconds, locale);
    return { sentence: fill(texts.rateLimited, { time }), retryable: true, waitSeconds };
  }
  if (status === 403 || code === 'boot/unavailable') return { sentence: texts.unavailable, retryable: false };
  if (status === 503 || /^(server|storage)\//.test(code) || code === 'chat/too_many_streams')
    return { sentence: texts.busy, retryable: true, waitSeconds: retryAfterSeconds ?? 0 };
  return { sentence: withReference(texts.broken, error, texts.reference), retryable: true };
}

function withReference(sentence: string, { requestId }: GuideError, reference: string): string {
  return requestId ? `${sentence} ${fill(reference, { id: requestId })}` : sentence;
}

/** The time of day when the wait is over. A short wait needs its seconds, or the time would be too early. */
function timeAfter(seconds: number, locale: string): string {
  const timeStyle = seconds < 600 ? 'medium' : 'short';
  return new Intl.DateTimeFormat(locale, { timeStyle }).format(Date.now() + seconds * 1000);
}
