import { timingSafeEqual } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Express, Response } from 'express';
import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.ts';
import { VERSION } from '../base/version.ts';
import type { Coordination } from '../coordination/coordination.ts';
import type { Store } from '../storage/store.ts';
import type { HttpRequestContext } from './context.ts';
import { throwApiError } from './errors.ts';
import { EVENT_STREAM_HEADERS } from './respond.ts';

const FREE_BYTES_MIN = 64 * 1024 * 1024;
const DISK_CHECK_MILLIS = 1000;
/** RFC 9116 recommends less than a year. */
const SECURITY_TXT_MILLIS = 180 * 24 * 3_600_000;

/** Mounts /healthz (the process runs, and in which version), /readyz (storage works) and /metrics. */
export function mountHealth(
  app: Express,
  deps: {
    store: Store;
    coordination: Pick<Coordination, 'state'>;
    dataDir: string;
    registry: Registry;
    metricsToken: string | undefined;
    isShuttingDown: () => boolean;
  },
): void {
  const hasSpace = createDiskCheck(deps.dataDir);
  app.get('/healthz', (_request, response) => sendState(response, 200, { status: 'ok', ...VERSION }));

  app.get('/healthz/stream', (request, response) => sendTwoEvents(response, request.ctx));

  app.get('/readyz', async (_request, response) => {
    const checks = await checkReadiness(deps, hasSpace);
    const isReady = checks.database && checks.disk && !checks.draining;
    sendState(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not_ready', ...checks });
  });

  app.get('/metrics', async (request, response) => {
    if (
      !deps.metricsToken ||
      !isEqualSecret(request.headers.authorization ?? '', `Bearer ${deps.metricsToken}`)
    ) {
      return throwApiError('request/not_found', 'metrics without the token');
    }
    response.type(deps.registry.contentType).send(await deps.registry.metrics());
  });
}

function sendState(response: Response, status: number, state: object): void {
  response.setHeader('cache-control', 'no-store');
  response.status(status).json(state);
}

const STREAM_PAUSE_MILLIS = 1000;

/**
 * Sends two events with a pause, so that `guidepost doctor` sees whether a proxy buffers. The first event says how the service sees the client:
 * whether through a trusted proxy, and whether over https.
 */
async function sendTwoEvents(
  response: Response,
  { headers, peerTrusted, isSecure }: HttpRequestContext,
): Promise<void> {
  const isForwarded = headers['x-forwarded-for'] !== undefined;
  response.writeHead(200, EVENT_STREAM_HEADERS);
  const proxy = isForwarded ? (peerTrusted ? 'trusted' : 'untrusted') : 'none';
  response.write(`data: ${JSON.stringify({ proxy, secure: isSecure })}\n\n`);
  await pause(STREAM_PAUSE_MILLIS);
  response.end('data: {"end":true}\n\n');
}

/** Serves the contacts for vulnerability reports (RFC 9116). Not a file, because its expiry counts from the request. */
export function mountSecurityTxt(
  app: Express,
  contacts: readonly string[],
  { now }: Clock,
  baseUrl: () => string,
): void {
  if (contacts.length === 0) return;
  app.get('/.well-known/security.txt', (_request, response) => {
    const lines = contacts.map((contact) => `Contact: ${contact}`);
    lines.push(`Expires: ${new Date(now() + SECURITY_TXT_MILLIS).toISOString()}`);
    // The standard allows only https here.
    if (baseUrl().startsWith('https:')) lines.push(`Canonical: ${baseUrl()}/.well-known/security.txt`);
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.end(`${lines.join('\n')}\n`);
  });
}

async function checkReadiness(
  deps: {
    store: Store;
    coordination: Pick<Coordination, 'state'>;
    isShuttingDown: () => boolean;
  },
  hasSpace: () => Promise<boolean>,
) {
  const [database, disk] = await Promise.allSettled([deps.store.ready(), hasSpace()]);
  const coordination = deps.coordination.state();
  const connections = readConnections(deps.store);
  const migration = database.status === 'fulfilled' ? database.value.migration : undefined;
  return {
    database: database.status === 'fulfilled' && database.value.writable,
    disk: disk.status === 'fulfilled' && disk.value,
    draining: deps.isShuttingDown(),
    problems: deps.store.problems(),
    // A node without Redis still serves for a while.
    ...(coordination === 'single' ? {} : { coordination }),
    migration,
    connections,
  };
}

/** Distinguishes an exhausted pool from an unreachable server. */
function readConnections({ connections }: Store) {
  if (!connections) return undefined;
  const { open, idle, waiting } = connections();
  return { used: open - idle, idle, waiting };
}

/** Returns the previous result while a new check runs, because the threads may be busy hashing passwords. */
function createDiskCheck(dataDir: string): () => Promise<boolean> {
  let last: boolean | undefined;
  let checkedAt = 0;
  const check = async () => {
    checkedAt = performance.now();
    last = await statfs(dataDir).then(
      ({ bavail, bsize }) => bavail * bsize > FREE_BYTES_MIN,
      () => false,
    );
    return last;
  };
  return async () => {
    if (last === undefined) return check();
    if (performance.now() - checkedAt > DISK_CHECK_MILLIS) void check();
    return last;
  };
}

function isEqualSecret(received: string, expected: string): boolean {
  const a = Buffer.from(received);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
