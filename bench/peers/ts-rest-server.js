/**
 * Boot as most would write it first: ts-rest on Express, Drizzle, jsonwebtoken, pino-http, cors and express-rate-limit, each used as
 * its documentation shows.
 *
 *   node bench/peers/ts-rest-server.js DATA_DIR
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer } from '@ts-rest/express';
import Database from 'better-sqlite3';
import cors from 'cors';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { isbot } from 'isbot';
import jwt from 'jsonwebtoken';
import pino from 'pino';
import { pinoHttp } from 'pino-http';
import { z } from 'zod';
import { BOOTS_PER_MINUTE, buildReply, TOKEN_SECONDS } from './boot-reply.js';

const SECRET = 'a secret of the benchmark, at least 32 bytes long';

const workspaces = sqliteTable('workspaces', {
  id: text().primaryKey(),
  appId: text('app_id').notNull(),
  name: text().notNull(),
  settings: text({ mode: 'json' }).notNull(),
});
const events = sqliteTable('bench_events', {
  id: text().primaryKey(),
  workspace: text().notNull(),
  at: integer().notNull(),
  type: text().notNull(),
  data: text({ mode: 'json' }).notNull(),
});

const sqlite = new Database(join(process.argv[2], 'guidepost.db'));
sqlite.pragma('journal_mode = WAL');
sqlite.exec(
  'CREATE TABLE IF NOT EXISTS bench_events (id TEXT PRIMARY KEY, workspace TEXT, at INTEGER, type TEXT, data TEXT) STRICT',
);
const db = drizzle(sqlite);

const c = initContract();
const error = z.object({ error: z.string() });
const contract = c.router({
  boot: {
    method: 'POST',
    path: '/boot',
    body: z.strictObject({
      app_id: z.string().min(1).max(64),
      origin: z.string().min(1).max(300),
      path: z.string().min(1).max(2048),
      visitor_id: z.string().min(1).max(128).optional(),
      gpc: z.boolean().optional(),
      user_agent_hint: z.string().max(1024).optional(),
    }),
    responses: { 200: z.looseObject({ jwt: z.string().nullable(), jwt_expires_at: z.int() }), 403: error },
  },
});

const router = initServer().router(contract, {
  boot: async ({ body, headers }) => {
    const [workspace] = await db.select().from(workspaces).where(eq(workspaces.appId, body.app_id));
    if (!workspace?.settings.allowedOrigins.includes(headers.origin))
      return { status: 403, body: { error: 'boot/origin_not_allowed' } };
    if (body.origin !== headers.origin) return { status: 403, body: { error: 'boot/origin_mismatch' } };
    const visitorId = body.visitor_id ?? `vis_${randomUUID()}`;
    const bootReply = buildReply(workspace, visitorId, headers['accept-language'] ?? '');
    if (isbot(headers['user-agent'] ?? body.user_agent_hint))
      return { status: 200, body: { ...bootReply, jwt: null, jwt_expires_at: 0 } };
    await db.insert(events).values({
      id: randomUUID(),
      workspace: workspace.id,
      at: Date.now(),
      type: 'boot',
      data: { path: body.path.split(/[?#]/, 1)[0], mode: 'opt_in', returning: body.visitor_id !== undefined },
    });
    const expiresAt = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
    const token = jwt.sign(
      {
        sub: visitorId,
        wid: workspace.id,
        org: body.origin,
        exp: expiresAt,
        jti: randomUUID(),
        rgn: 'ZZ',
        rsrc: 'none',
        gpc: false,
        pol: '2026-11-01.1',
      },
      SECRET,
      { issuer: 'peer', audience: 'visitor' },
    );
    return { status: 200, body: { ...bootReply, jwt: token, jwt_expires_at: expiresAt } };
  },
});

const app = express();
app.set('trust proxy', 'loopback');
app.use(pinoHttp({ logger: pino() }));
app.use(cors({ exposedHeaders: ['Retry-After'] }));
app.use(rateLimit({ windowMs: 60_000, limit: BOOTS_PER_MINUTE, validate: false }));
app.use(express.json());
app.get('/healthz', (_request, response) => response.json({ ok: true }));
createExpressEndpoints(contract, router, app, { responseValidation: true });

const server = app.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listens on http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
