import type {
  AnswerRatedEvent,
  ArticlePublishedEvent,
  ArticleUnpublishedEvent,
  ConsentErasedEvent,
  HandoverCreatedEvent,
  HandoverRepliedEvent,
  QuestionUnansweredEvent,
  SourceRunFinishedEvent,
  TranslationPublishedEvent,
  TranslationStaleEvent,
  WebhookTestEvent,
} from '../../generated/types.ts';

/** What a webhook receives. Ignore types that you do not know. */
export type WebhookEvent =
  | AnswerRatedEvent
  | ArticlePublishedEvent
  | ArticleUnpublishedEvent
  | ConsentErasedEvent
  | HandoverCreatedEvent
  | HandoverRepliedEvent
  | QuestionUnansweredEvent
  | SourceRunFinishedEvent
  | TranslationPublishedEvent
  | TranslationStaleEvent
  | WebhookTestEvent;

/** A request to a webhook does not come from the service, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type ReceivedHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const SECONDS_MAX = 300;

/**
 * Verifies a request to a webhook, as Standard Webhooks describes it, and returns its event. `body` is the text as it arrived:
 * parsing it first would change it. Rejects with a `WebhookError` when the signature is wrong or older than five minutes.
 */
export async function verifyWebhook(
  headers: ReceivedHeaders,
  body: string,
  secret: string,
): Promise<WebhookEvent> {
  const read = (name: string) => {
    const value =
      headers.get instanceof Function ? headers.get(name) : (headers as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : '';
  };
  const [id, timestamp] = [read('webhook-id'), read('webhook-timestamp')];
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) throw new WebhookError('a header is missing');
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > SECONDS_MAX)
    throw new WebhookError('the timestamp is too far from now');
  const key = await crypto.subtle.importKey(
    'raw',
    decode(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of read('webhook-signature').split(' ')) {
    if (!signature.startsWith('v1,')) continue;
    if (await crypto.subtle.verify('HMAC', key, decode(signature.slice(3)), signed)) return JSON.parse(body);
  }
  throw new WebhookError('no signature matches');
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new WebhookError('a secret or signature is not base64');
  }
}
