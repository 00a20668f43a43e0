import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { request } from 'undici';
import { toBaseUrl } from '../base/network.ts';
import { openConnections } from '../base/proxy.ts';
import { VERSION } from '../base/version.ts';
import type { Config } from '../settings/config.ts';
import { readMark } from '../storage/sqlite/commit-mark.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Checks of the clock, the running server, and the address that browsers use: certificate, proxy, streams. */

const REQUEST_MILLIS_MAX = 10_000;
const DAY_MILLIS = 86_400_000;

type HttpResponse = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** When each chunk of the body arrived. */
  chunkTimes: readonly number[];
  certificateEndsAt: number | undefined;
};

/** Sends a request. Does not follow redirects, and trusts the certificates that browsers trust. */
function sendRequest(url: string): Promise<HttpResponse> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = { agent: false, signal: AbortSignal.timeout(REQUEST_MILLIS_MAX) } as const;
    const request = send(url, { ...options, headers: { 'accept-encoding': 'gzip, br' } }, (response) => {
      const certificate = (response.socket as Partial<TLSSocket>).getPeerCertificate?.();
      const chunks: Buffer[] = [];
      const chunkTimes: number[] = [];
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        chunkTimes.push(performance.now());
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          chunkTimes,
          certificateEndsAt: certificate?.valid_to ? Date.parse(certificate.valid_to) : undefined,
        }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

const CLOCK_MILLIS_MAX = 30_000;
const SYNCHRONIZE = 'synchronize it with NTP (`timedatectl set-ntp true`)';

/** Compares the clock with the last commit and a configured outside server. Asks no other server for the time. */
export async function checkClock(config: Config, now: () => number): Promise<Finding> {
  const lastAt = Date.parse(readMark(config.database.file)?.at ?? '');
  if (lastAt > now() + CLOCK_MILLIS_MAX)
    return problem`clock: The clock is before the last write of the database (${new Date(lastAt).toISOString()}): ${SYNCHRONIZE}.`;
  const { llm, embeddings, speech } = config;
  const embeddingServer = embeddings?.kind === 'server' ? embeddings : undefined;
  for (const server of [llm, embeddingServer, speech.a, speech.b, speech.c]) {
    if (!server) continue;
    const { origin, host } = new URL(server.baseUrl);
    const date = await readDate(origin, config).catch(() => Number.NaN);
    if (Number.isNaN(date)) continue;
    const seconds = Math.round(Math.abs(date - now()) / 1000);
    if (seconds * 1000 <= CLOCK_MILLIS_MAX) return ok`clock: The clock agrees with that of ${host}.`;
    return problem`clock: The clock differs by ${seconds} s from that of ${host}: ${SYNCHRONIZE}.`;
  }
  return ok`clock: The clock is not before the last write. No outside server is configured to compare it with.`;
}

async function readDate(origin: string, { proxy }: Config): Promise<number> {
  const connections = openConnections(proxy, {});
  const signal = AbortSignal.timeout(REQUEST_MILLIS_MAX);
  try {
    const { headers } = await request(origin, { method: 'HEAD', dispatcher: connections, signal });
    return Date.parse(String(headers.date));
  } finally {
    void connections.destroy();
  }
}

/** Says which proxy leads to other servers, without its credentials. */
export function* checkOutgoing({ proxy }: Config): Generator<Finding> {
  if (!proxy) return;
  const { httpProxy, httpsProxy, noProxy } = proxy;
  const hosts = new Set([httpProxy, httpsProxy].filter(Boolean).map((address) => new URL(address).host));
  const exceptions = noProxy === '' ? '' : `, except those to ${noProxy} (NO_PROXY)`;
  yield ok`outgoing: Requests to models, speech providers and telemetry go through the proxy ${[...hosts].join(' or ')}${exceptions}.`;
}

/** Checks the server on this machine without its proxy. */
export async function* checkServer({ host, port }: Config): AsyncGenerator<Finding> {
  if (port === 0) return;
  const localHost = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = toBaseUrl({ publicUrl: undefined, host: localHost }, port);
  const health = await readHealth(address).catch((error: NodeJS.ErrnoException) => error);
  if (health instanceof Error)
    yield warning`server: No server answers at ${address} (${health.code ?? health.message}): start it, or correct HOST and PORT.`;
  else if (typeof health === 'string') yield problem`server: ${address} ${health}: set PORT to a free port.`;
  else if (health.version !== VERSION.version || health.commit !== VERSION.commit)
    yield warning`server: The running server is another version, ${health.version} (${health.commit}): restart it.`;
  else yield ok`server: The server of this version runs at ${address}.`;
}

type Health = {
  version: string;
  commit: string;
  certificateEndsAt: number | undefined;
};

/** Returns what the service reports about itself, or why the response cannot come from the service. */
async function readHealth(address: string): Promise<Health | string> {
  const { status, text, certificateEndsAt, headers } = await sendRequest(`${address}/healthz`);
  if (status >= 300 && status < 400) return `redirects to ${String(headers.location).slice(0, 200)}`;
  if (status >= 500) return `answers with status ${status}`;
  try {
    const { status: healthStatus, version, commit } = JSON.parse(text) as Record<string, string>;
    if (status === 200 && healthStatus === 'ok' && version && commit)
      return { version, commit, certificateEndsAt };
  } catch {
    // A response that is not JSON comes from another server.
  }
  return `is answered by something else than this version of Guidepost (status ${status})`;
}

export async function* checkPublicAddress(config: Config, now: () => number): AsyncGenerator<Finding> {
  const { publicUrl } = config;
  if (publicUrl === undefined)
    return yield warning`address: PUBLIC_URL is not set, so links name the address that the server listens on: set it to the address that browsers use.`;
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    yield problem`tls: ${publicUrl} is not encrypted: put a TLS proxy in front of the server (deploy/), and begin PUBLIC_URL with https.`;
  const health = await readHealth(publicUrl).catch((error: NodeJS.ErrnoException) => error);
  if (health instanceof Error) return yield describeUnreachable(publicUrl, health);
  if (typeof health === 'string')
    return yield problem`address: ${publicUrl} ${health}: lead the proxy to this server.`;
  yield ok`address: ${publicUrl} leads to Guidepost ${health.version}.`;
  if (health.certificateEndsAt !== undefined) yield checkCertificate(health.certificateEndsAt, now());
  yield* checkStream(config, publicUrl);
}

const CERTIFICATE = /CERT|SIGNED|ISSUER|ALTNAME|SSL|TLS|EPROTO/;

const REPAIRS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'add the name to DNS, or correct PUBLIC_URL',
  EAI_AGAIN: 'check the DNS resolver of this machine',
  ECONNREFUSED: 'start the proxy, and open its port in the firewall',
};

function describeUnreachable(publicUrl: string, error: NodeJS.ErrnoException): Finding {
  const reason = error.code ?? error.message;
  if (CERTIFICATE.test(reason))
    return problem`tls: Browsers reject the certificate of ${publicUrl} (${reason}): renew it, with the whole chain and this host's name.`;
  const repair = REPAIRS[reason] ?? 'check the proxy and the firewall';
  return problem`address: ${publicUrl} cannot be reached from here (${reason}): ${repair}.`;
}

const CERTIFICATE_DAYS_MIN = 14;

function checkCertificate(endsAt: number, now: number): Finding {
  const days = Math.floor((endsAt - now) / DAY_MILLIS);
  return days >= CERTIFICATE_DAYS_MIN
    ? ok`tls: The certificate is valid for ${days} more days.`
    : warning`tls: The certificate ends in ${days} days: check why it is not renewed by itself, in the proxy's log.`;
}

/** Half of the pause between the two events: less means that a proxy buffers. */
const PAUSE_MILLIS_MIN = 500;

async function* checkStream({ trustsProxy }: Config, publicUrl: string): AsyncGenerator<Finding> {
  const { status, text, chunkTimes, headers } = await sendRequest(`${publicUrl}/healthz/stream`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return yield problem`stream: The proxy compresses streams (${encoding}), which delays them: exclude text/event-stream from compression.`;
  const [, first] = /^data: (\{.*\})$/m.exec(text) ?? [];
  if (status !== 200 || first === undefined || !text.includes('"end"'))
    return yield problem`stream: The proxy breaks streams off (status ${status}): raise its timeouts to 60 s.`;
  if (chunkTimes.at(-1)! - chunkTimes[0]! < PAUSE_MILLIS_MIN)
    yield problem`stream: The proxy buffers streams, so answers appear all at once: turn response buffering off (nginx: \`proxy_buffering off\`).`;
  else yield ok`stream: Streams arrive piece by piece.`;
  const { proxy } = JSON.parse(first) as { proxy: string };
  if (proxy === 'untrusted')
    yield problem`proxy: The proxy is not trusted, so all visitors share the limits of one network: add its address to TRUSTED_PROXIES (\`loopback\` on this machine).`;
  else if (proxy === 'none' && trustsProxy)
    yield problem`proxy: The proxy sends no X-Forwarded-For, so all visitors share the limits of one network: make it send that header.`;
  else if (proxy === 'trusted') yield ok`proxy: The proxy is trusted.`;
  else yield ok`proxy: There is no proxy.`;
}
