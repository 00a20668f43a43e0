import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onSqlite } from '../../support/cluster/harness-cluster.ts';
import { decide as decideAt, GERMANY, openEverywhere, TEXAS, type Visitor } from '../../support/decisions.ts';
import { clock, type Harness, ORIGIN, openHarness } from '../../support/harness.ts';
import { readTables } from '../../support/other-program.ts';

/** Returns a small valid JPEG with the text in its comment. */
function jpegWith(comment: string, side = 16): Buffer {
  const text = Buffer.from(comment);
  const segment = (marker: number, bytes: Buffer) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(bytes.length + 2, 2);
    return Buffer.concat([head, bytes]);
  };
  const frame = Buffer.from([8, 0, side, 0, side, 1, 1, 0x11, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    segment(0xfe, text),
    segment(0xc0, frame),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([0x3f, 0xff, 0xd9]),
  ]);
}

const HOUR = 3_600_000;

let harness: Harness;
beforeEach(async () => {
  harness = await openEverywhere();
});
afterEach(() => harness.close());

const decide = (visitor: Visitor, fields?: Record<string, unknown>, headers?: Record<string, string>) =>
  decideAt(harness, visitor, fields, headers);

describe('privacy scan of all stored data', () => {
  const canaries = {
    address: '203.0.113.213',
    agent: 'Mozilla/5.0 (X11; CanaryOS) Gecko/20100101 Firefox/140.0',
    query: 'canary-of-the-query',
    fragment: 'canary-of-the-fragment',
    digest: 'canary-of-the-digest',
    selected: 'canary-of-the-selection',
    title: 'canary-of-the-title',
    target: 'canary-of-the-target',
    screenshot: 'canary-of-the-screenshot',
    hint: 'canary-of-the-hint',
    language: 'x-canary',
  };
  const picture = jpegWith(canaries.screenshot);
  const screenshotText = picture.toString('base64').slice(24, 60);
  const headers = {
    'x-forwarded-for': canaries.address,
    'user-agent': canaries.agent,
    'accept-language': `en, ${canaries.language};q=0.1`,
    referer: `${ORIGIN}/?${canaries.query}`,
  };
  const path = `/page?${canaries.query}#${canaries.fragment}`;
  const turn = {
    message: 'How do I reset my password?',
    dom_digest: `main > ${canaries.digest}`,
    url: `${ORIGIN}${path}`,
    capture_context: {
      page: { title: canaries.title, url: `${ORIGIN}${path}` },
      selected_text: canaries.selected,
      targets: [{ gp_id: canaries.target, name: 'password', confidence: 0.9 }],
      focused_target: { gp_id: canaries.target, name: canaries.target },
    },
    viewport_screenshot: {
      data: picture.toString('base64'),
      mime: 'image/jpeg',
      width: 16,
      height: 16,
    },
  };

  type Location = readonly [name: string, content: { includes(text: string): boolean }];

  /** Reads the files of the data folder, or the tables of PostgreSQL. */
  async function readStored(): Promise<Location[]> {
    const names = readdirSync(harness.dataDir);
    const files = names.map((name) => [name, readFileSync(join(harness.dataDir, name))] as const);
    return onSqlite ? files : [...files, ...(await readTables(harness))];
  }

  /** Finds every file, table or log line that contains one of these texts. */
  async function findLocations(texts: Record<string, string>): Promise<string[]> {
    const stored = await readStored();
    const expected = onSqlite ? ['guidepost.db', 'guidepost.db-wal'] : ['events', 'turns'];
    expect(stored.map(([name]) => name)).toEqual(expect.arrayContaining(expected));
    const log: Location = ['the log', JSON.stringify(harness.logged)];
    return Object.entries(texts).flatMap(([what, text]) =>
      [...stored, log].filter(([, bytes]) => bytes.includes(text)).map(([where]) => `${what} in ${where}`),
    );
  }

  const everything = { ...canaries, screenshotText };

  it('finds planted texts in every location', async () => {
    const visitor = await harness.boot({ path: '/canary-of-the-path' }, { ...headers, ...GERMANY });
    await harness.ask(visitor.jwt, { message: 'canary-of-the-message' });
    const planted = { path: 'canary-of-the-path', message: 'canary-of-the-message' };
    const [page, turn] = onSqlite ? ['guidepost.db-wal', 'guidepost.db-wal'] : ['events', 'turns'];
    // SQLite sometimes copies the log to the database file.
    expect(await findLocations(planted)).toEqual(
      expect.arrayContaining([`path in ${page}`, `message in ${turn}`]),
    );
  });

  it('finds no visitor identity before opt-in consent', async () => {
    const undecided = await harness.boot(
      { path, user_agent_hint: canaries.hint },
      { ...headers, ...GERMANY },
    );
    for (let i = 0; i < 5; i++)
      await harness.boot({ path, visitor_id: undecided.visitor_id }, { ...headers, ...GERMANY });
    const authorization = `Bearer ${undecided.jwt}`;
    await harness.fetch('/conversations/none', { headers: { ...headers, authorization } });
    await decide(undecided, { url: `https://evil.example${path}` }, headers);
    await harness.fetch('/chat', { json: { surprise: 1 }, headers: { ...headers, authorization } });
    await harness.fetch('/chat', { json: { surprise: 1 }, headers: { ...headers, authorization } });
    const talkative = await harness.boot({ path }, { ...headers, ...GERMANY });
    for (const turn_idx of [0, 1, 2]) {
      const question = { ...turn, turn_idx, conversation_id: 'c' };
      expect(await harness.ask(talkative.jwt, question, headers)).toContainEqual(
        expect.objectContaining({ type: 'notice', code: 'screenshot_dropped' }),
      );
    }
    await harness.service.tick();
    expect(
      await findLocations({
        ...everything,
        visitor: undecided.visitor_id,
        pseudonym: harness.pseudonym(undecided),
      }),
    ).toEqual([]);
    await harness.service.close();
    harness = await openHarness({ dataDir: harness.dataDir });
    await harness.boot();
    expect(
      await findLocations({
        ...everything,
        visitor: undecided.visitor_id,
        pseudonym: harness.pseudonym(undecided),
      }),
    ).toEqual([]);
  });

  it('finds no page or device data after a denial, and the visitor id only with the denial', async () => {
    const visitor = await harness.boot({ path }, { ...headers, ...TEXAS });
    await harness.ask(visitor.jwt, { ...turn, conversation_id: 'before' }, headers);
    await decide(visitor, { decision: 'denied', url: `${ORIGIN}${path}` }, headers);
    await harness.ask(visitor.jwt, { ...turn, conversation_id: 'after' }, headers);
    await harness.boot({ path, visitor_id: visitor.visitor_id }, { ...headers, ...TEXAS });
    await harness.service.tick();
    expect(await findLocations(everything)).toEqual([]);
    expect(await findLocations({ visitor: visitor.visitor_id })).toEqual([]);
    expect(JSON.stringify(harness.logged)).not.toContain(harness.pseudonym(visitor));
    clock.advance(24 * HOUR + 1000);
    await harness.service.tick();
    const naming = [...(await readTables(harness))].filter(([, rows]) =>
      rows.includes(harness.pseudonym(visitor)),
    );
    expect(naming.map(([table]) => table).sort()).toEqual(['consent_current', 'consent_subjects']);
  });

  it('finds no message of a visitor who refused after a day and a restart', async () => {
    const message = 'canary-of-the-message';
    const visitor = await harness.boot({}, TEXAS);
    await decide(visitor, { decision: 'denied' });
    await harness.ask(visitor.jwt, { message: `How do I return ${`${message} `.repeat(170)}?` });
    clock.advance(24 * HOUR + 1000);
    await harness.service.tick();
    await harness.service.close();
    const remaining = (await readStored()).filter(([, content]) => content.includes(message));
    expect(remaining.map(([name]) => name)).toEqual([]);
  });
});
