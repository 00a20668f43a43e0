import { timingSafeEqual } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import type { Express } from 'express';
import type { Registry } from 'prom-client';
import type { Store } from '../storage/store.ts';
import { throwApiError } from './errors.ts';
import { sendJson } from './respond.ts';

const FREE_BYTES_MIN = 64 * 1024 * 1024;

/** Mounts /healthz (the process runs), /readyz (storage works) and /metrics. */
export function mountHealth(
  app: Express,
  deps: {
    readonly store: Store;
    readonly dataDir: string;
    readonly registry: Registry;
    readonly metricsToken: string | undefined;
    readonly isShuttingDown: () => boolean;
  },
): void {
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));

  app.get('/readyz', async (_request, response) => {
    const checks = await readiness(deps);
    const isReady = checks.database && checks.disk && !checks.draining;
    sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not_ready', ...checks });
  });

  app.get('/metrics', async (request, response) => {
    if (!deps.metricsToken || !isSame(request.headers.authorization ?? '', `Bearer ${deps.metricsToken}`)) {
      return throwApiError('request/not_found', 'metrics without the token');
    }
    response.type(deps.registry.contentType).send(await deps.registry.metrics());
  });
}

async function readiness(deps: { store: Store; dataDir: string; isShuttingDown: () => boolean }) {
  const [database, disk] = await Promise.allSettled([deps.store.ready(), statfs(deps.dataDir)]);
  const free = disk.status === 'fulfilled' ? disk.value.bavail * disk.value.bsize : 0;
  const migration = database.status === 'fulfilled' ? database.value.migration : undefined;
  return {
    database: database.status === 'fulfilled' && database.value.writable,
    disk: free > FREE_BYTES_MIN,
    draining: deps.isShuttingDown(),
    problems: deps.store.problems(),
    ...(migration === undefined ? {} : { migration }),
  };
}

function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
