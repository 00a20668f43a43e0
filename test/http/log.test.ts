import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { errorBody } from '../../contract/errors.ts';
import { clock, ORIGIN, openHarness, question } from '../harness.ts';

const METRICS_TOKEN = 'a-token-for-the-metrics';

describe('the log', () => {
  it('contains no address, token, message or body, even after an internal error', async () => {
    const harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback', METRICS_TOKEN } });
    const canaries = {
      address: '203.0.113.213',
      agent: 'Mozilla/5.0 (Canary; rv:140.0) Gecko/20100101 Firefox/140.0',
      message: 'How do I reset my canary-of-the-message?',
      digest: 'main > canary-of-the-digest',
      query: 'canary-of-the-query',
      selected: 'canary-of-the-selection',
      comment: 'canary-of-the-comment',
      path: 'canary-of-the-path',
      type: 'text/canary-of-the-type',
      origin: 'canary-of-the-body-origin',
      key: 'canary-of-the-idempotency-key',
    };
    const headers = { 'x-forwarded-for': canaries.address, 'user-agent': canaries.agent };
    const { jwt, visitor_id } = await harness.boot({ path: `/${canaries.path}` }, headers);
    const authorized = { ...headers, authorization: `Bearer ${jwt}`, 'idempotency-key': canaries.key };
    const turn = question({
      message: canaries.message,
      dom_digest: canaries.digest,
      conversation_id: 'canary-of-the-conversation',
      url: `${ORIGIN}/a?${canaries.query}`,
      capture_context: { selected_text: canaries.selected },
    });
    const everything = async () => {
      const sent: [string, unknown, Record<string, string>][] = [
        ['/chat', turn, authorized],
        ['/chat', { ...turn, surprise: canaries.comment }, authorized],
        ['/chat', { ...turn, url: `https://evil.example/${canaries.query}` }, authorized],
        ['/chat', { ...turn, url: canaries.query }, authorized],
        ['/chat', turn, { ...authorized, 'content-type': canaries.type }],
        ['/chat', turn, { ...authorized, authorization: `Bearer ${jwt}x` }],
        ['/feedback', { message_id: canaries.comment, rating: 'up', comment: canaries.comment }, authorized],
        [
          '/boot',
          { app_id: harness.appId, origin: `https://${canaries.origin}@x/`, path: canaries.path },
          headers,
        ],
        [
          '/boot',
          { app_id: harness.appId, origin: ORIGIN, path: '/' },
          { ...headers, origin: `junk ${canaries.origin}` },
        ],
        [
          '/consent',
          {
            visitor_id,
            url: `${ORIGIN}/${canaries.path}`,
            copy_version: '1',
            at: clock.now(),
            decision: 'accepted',
          },
          authorized,
        ],
      ];
      for (const [path, json, more] of sent)
        await (await harness.fetch(path, { json, headers: more })).text();
      await harness.fetch(`/conversations/${canaries.path}`, { headers: authorized });
      await harness.fetch(`/${canaries.path}?${canaries.query}`, { headers });
    };
    await everything();
    // The same again while the database is broken, because errors like to quote what caused them.
    const database = new Database(harness.config.database.file);
    database.pragma('foreign_keys = OFF');
    for (const table of ['events', 'turns', 'feedback', 'consent_records'])
      database.exec(`DROP TABLE ${table}`);
    database.close();
    await everything();
    await harness.fetch('/visitor', { method: 'DELETE', headers: authorized });
    await pause(20);
    const log = JSON.stringify(harness.logged);
    expect(harness.logged.some(({ error }) => error === 'internal')).toBe(true);
    for (const canary of [
      ...Object.values(canaries),
      'canary',
      jwt.split('.')[1]!,
      jwt.split('.')[2]!,
      visitor_id,
      METRICS_TOKEN,
    ]) {
      expect(log).not.toContain(canary);
    }
    for (const line of harness.logged.filter(({ operation }) => operation !== undefined)) {
      expect(errorBody.shape.request_id.safeParse(line.request_id).success).toBe(true);
    }
    await harness.close();
  });
});
