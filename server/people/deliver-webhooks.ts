import pLimit from 'p-limit';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type BackgroundJob, createBackgroundJob } from '../knowledge/background-job.ts';
import type { Store } from '../storage/store.ts';
import type { DueDelivery } from '../storage/webhooks.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { getRetryDelayMillis } from './retry-delay.ts';
import type { SentWebhook, WebhookSender } from './webhook-sender.ts';
import { composeWorkspaceNotices, type WorkspaceNoticeDeps } from './workspace-notices.ts';

/** Sends the events that wait for webhooks: each at least once, those about the same thing in their order. */

type Deps = WorkspaceNoticeDeps & {
  store: Pick<Store, 'in' | 'listDueDeliveries'>;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  webhookSender: Pick<WebhookSender, 'send'>;
};

/** The owner of a webhook's secret: no other webhook can open it. */
export const toWebhookOwner = (workspaceId: string, webhookId: string) =>
  `webhook ${webhookId} of ${workspaceId}`;

const PER_ROUND = 100;
const SIDE_BY_SIDE = 16;
/** How long nothing is sent after an outcome could not be stored: it would be sent again and again. */
const STORAGE_PAUSE_MILLIS = 60_000;
/** By this status, a receiver asks for no more. */
const GONE = 410;

export function createWebhookJob(deps: Deps): BackgroundJob {
  const { store, clock, log } = deps;
  const queue = pLimit(SIDE_BY_SIDE);
  let resumesAt = Number.NEGATIVE_INFINITY;

  async function deliver(delivery: DueDelivery, signal: AbortSignal): Promise<void> {
    const sent = await sendSigned(delivery, deps, signal);
    // What was cut off by a shutdown is sent again by the next process.
    if (signal.aborted) return;
    const isDelivered = sent.error === undefined && sent.status! >= 200 && sent.status! < 300;
    const attemptedAt = clock.now();
    const delay = isDelivered ? 0 : getRetryDelayMillis(delivery.attempts + 1);
    const pauses = !isDelivered && (delay === undefined || sent.status === GONE);
    const notices = pauses ? await composeNotices(delivery, deps) : [];
    const attempt = {
      state: isDelivered ? ('delivered' as const) : ('waiting' as const),
      ...{ attemptedAt, nextAttemptAt: attemptedAt + (delay ?? 0) },
      ...{ error: sent.error, response: sent.response },
      ...{ responseStatus: sent.status, responseMillis: sent.millis },
      pauses,
    };
    const { workspaceId, webhookId } = delivery;
    const isPaused = await store.in(workspaceId).webhooks.settle(delivery, attempt, notices);
    if (isPaused) log.warn({ workspaceId, webhookId }, 'a webhook was paused');
  }

  return createBackgroundJob(clock, 0, async (signal) => {
    while (!signal.aborted && clock.now() >= resumesAt) {
      const due = await store.listDueDeliveries(clock.now(), PER_ROUND);
      if (due.length === 0) return;
      const outcomes = await Promise.allSettled(
        due.map((delivery) => queue(() => (signal.aborted ? undefined : deliver(delivery, signal)))),
      );
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (!failed) continue;
      resumesAt = clock.now() + STORAGE_PAUSE_MILLIS;
      throw failed.reason;
    }
  });
}

/** Composes the mails that tell owners and admins that the webhook is paused. */
async function composeNotices({ workspaceId, webhookId, url }: DueDelivery, deps: Deps) {
  const webhooks = await deps.store.in(workspaceId).webhooks.list();
  const webhook = webhooks.find(({ id }) => id === webhookId)?.name ?? url;
  const values = { webhook, url };
  return composeWorkspaceNotices('webhook_paused', workspaceId, values, deps);
}

async function sendSigned(
  { workspaceId, webhookId, eventId, url, payload, ...stored }: DueDelivery,
  { secrets, clock, webhookSender }: Deps,
  signal: AbortSignal,
): Promise<SentWebhook> {
  const owner = toWebhookOwner(workspaceId, webhookId);
  const now = clock.now();
  const isOldValid = (stored.oldSecretUntil ?? 0) > now;
  const sealed = [stored.sealedSecret, isOldValid ? stored.sealedOldSecret : undefined];
  const opened = await Promise.all(sealed.map((text) => text && secrets.open(text, owner)));
  const [secret, oldSecret] = opened;
  // Without the key ring that sealed it, no secret can be read.
  if (!secret) return { error: 'no_secret', millis: 0 };
  const sign = (key: string) => new Webhook(key).sign(eventId, new Date(now), payload);
  const headers = {
    'webhook-id': eventId,
    'webhook-timestamp': `${Math.floor(now / 1000)}`,
    'webhook-signature': [secret, oldSecret].flatMap((key) => (key ? [sign(key)] : [])).join(' '),
  };
  return webhookSender.send(url, headers, payload, signal);
}
