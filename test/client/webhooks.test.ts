import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { verifyWebhook, WebhookError, type WebhookEvent } from '../../client/sdk/index.ts';
import type { WebhookEventType } from '../../generated/types.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const BODY = JSON.stringify({ type: 'webhook.test', data: { webhook_id: 'whk_1' } });

function sign(secret = SECRET, at = new Date(Date.now()), body = BODY) {
  return {
    'webhook-id': 'whe_1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign('whe_1', at, body),
  };
}

describe('verifyWebhook', () => {
  it('returns the event of a request that the library has signed', async () => {
    expect(await verifyWebhook(sign(), BODY, SECRET)).toEqual(JSON.parse(BODY));
    expect(await verifyWebhook(new Headers(sign()), BODY, SECRET)).toEqual(JSON.parse(BODY));
    expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<WebhookEventType>();
  });

  it('accepts one of several signatures', async () => {
    const other = sign(`whsec_${randomBytes(32).toString('base64')}`)['webhook-signature'];
    const headers = { ...sign(), 'webhook-signature': `v2,x ${other} ${sign()['webhook-signature']}` };
    expect(await verifyWebhook(headers, BODY, SECRET)).toMatchObject({ type: 'webhook.test' });
  });

  it.each([
    ['another body', sign(SECRET, new Date(), '{}')],
    ['another secret', sign(`whsec_${randomBytes(32).toString('base64')}`)],
    ['an old timestamp', sign(SECRET, new Date(Date.now() - 301_000))],
    ['a timestamp in the future', sign(SECRET, new Date(Date.now() + 310_000))],
    ['another id', { ...sign(), 'webhook-id': 'whe_2' }],
    ['no headers', {}],
    ['a signature that is not base64', { ...sign(), 'webhook-signature': 'v1,%' }],
  ])('rejects %s', async (_, headers) => {
    await expect(verifyWebhook(headers, BODY, SECRET)).rejects.toBeInstanceOf(WebhookError);
  });
});
