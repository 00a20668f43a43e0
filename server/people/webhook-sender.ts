import { type Dispatcher, request } from 'undici';
import { WEBHOOK_LIMITS } from '../../contract/limits/webhooks.ts';
import { createNamedServers, PrivateAddress, type ResolveName } from '../base/address-guard.ts';
import { openConnections, type ProxySettings } from '../base/proxy.ts';
import { toStorableText } from '../base/text.ts';
import { VERSION } from '../base/version.ts';

/** Sends webhooks: to public servers over https, and to networks that the operator allows, over http too. */

export type SentWebhook = {
  millis: number;
  status?: number;
  /** The beginning of the response. */
  response?: string;
  /** Why there was no response, or why it does not count. */
  error?: string;
};

export type WebhookSender = {
  /** Returns the address in canonical form; undefined for one that may not be used. */
  parse(url: string): Promise<string | undefined>;
  /** Follows no redirect. Never rejects. */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<SentWebhook>;
  close(): void;
};

type SenderOptions = {
  /** Address blocks that are allowed although they are not public. */
  networks: readonly string[];
  proxy: ProxySettings | undefined;
  resolve?: ResolveName | undefined;
};

const MILLIS_MAX = WEBHOOK_LIMITS.responseSeconds * 1000;

export function createWebhookSender({ networks, proxy, resolve }: SenderOptions): WebhookSender {
  const servers = createNamedServers({ networks, setting: 'WEBHOOK_NETWORKS', resolve });
  const connections = servers.openConnections((lookup) => {
    const connect = { lookup, timeout: MILLIS_MAX };
    return openConnections(proxy, { connect, allowH2: false, maxHeaderSize: 16_384 });
  });

  async function sendOnce(
    url: string,
    options: Dispatcher.DispatchOptions['headers'],
    body: string,
    signal: AbortSignal,
  ) {
    const parsed = new URL(url);
    // A connection checks the name that it resolves. A proxy resolves names by itself, so they are checked before.
    if (await servers.isRefused(parsed)) return { error: 'private_address' };
    const answer = await request(parsed, {
      ...{ method: 'POST', dispatcher: connections.get(parsed.protocol)!, headers: options, body, signal },
    });
    const status = answer.statusCode;
    const response = await readBeginning(answer.body);
    return { status, response, ...(status >= 300 && status < 400 && { error: 'redirect' }) };
  }

  return {
    parse: servers.parse,
    async send(url, headers, body, signal) {
      const startedAt = performance.now();
      const timeout = AbortSignal.timeout(MILLIS_MAX);
      const sent = await sendOnce(
        url,
        { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT },
        body,
        AbortSignal.any([signal, timeout]),
      ).catch((error) => ({ error: timeout.aborted ? 'timeout' : toReason(error) }));
      return { ...sent, millis: Math.round(performance.now() - startedAt) };
    },
    close() {
      for (const each of connections.values()) void each.destroy();
    },
  };
}

const USER_AGENT = `Guidepost/${VERSION.version} (webhooks)`;

async function readBeginning(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop ends the connection.
      if (bytes >= WEBHOOK_LIMITS.responseBytesMax) break;
    }
  } catch {
    // The status counts, also of a response that is cut off or too slow.
  }
  const beginning = Buffer.concat(chunks).subarray(0, WEBHOOK_LIMITS.responseBytesMax);
  return toStorableText(new TextDecoder().decode(beginning));
}

const REASON_CHARS_MAX = 100;

/** Names the problem, without addresses of the operator's network. */
function toReason(error: unknown): string {
  const causes = [error, (error as Error).cause, ...((error as AggregateError).errors ?? [])];
  if (causes.some((cause) => cause instanceof PrivateAddress)) return 'private_address';
  const code = causes.map((cause) => (cause as NodeJS.ErrnoException | undefined)?.code).find(Boolean);
  return String(code ?? 'failed').slice(0, REASON_CHARS_MAX);
}
