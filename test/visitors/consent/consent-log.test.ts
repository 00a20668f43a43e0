import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson, GENESIS_HASH } from '../../../server/base/hash-chain.ts';
import {
  type ChainedRecord,
  type ConsentRecord,
  chainContent,
  chainRecord,
  parsePage,
  verifyChain,
} from '../../../server/visitors/consent/consent-log.ts';
import { setOptionalPurposes } from '../../../server/visitors/consent/purposes.ts';
import { commandLine } from '../../support/command-line.ts';
import { GERMANY, TEXAS } from '../../support/decisions.ts';
import { clock } from '../../support/harness.ts';
import { query } from '../../support/other-program.ts';
import {
  chain,
  decide,
  harness,
  openServiceBeforeEach,
  records,
  store,
} from '../../support/visitors-everywhere.ts';

function recordOf(index: number, workspaceId = 'ws_1'): ConsentRecord {
  return {
    id: `cns_${index}`,
    workspaceId,
    visitorId: `vis_${index % 7}`,
    origin: 'https://shop.example',
    path: '/preise/übersicht',
    decision: index % 3 === 0 ? 'denied' : 'accepted',
    purposes: setOptionalPurposes(index % 3 === 0 ? 'denied' : 'granted'),
    mode: 'opt_in',
    reason: 'prior_decision',
    policyVersion: '2026-11-20.1+0123456789ab',
    policyKnown: true,
    copyVersion: 'de+0123456789ab',
    copyLocale: 'de',
    snapshotSource: 'token',
    regionCode: 'DE',
    regionSource: 'edge_header',
    gpcHeader: false,
    atMillis: 1_795_000_000_000 + index,
    receivedAtMillis: 1_795_000_000_250 + index,
    clockSkewMillis: 250,
    ...(index > 6 ? { previousDecisionId: `cns_${index - 7}` } : {}),
  };
}

function* chainOf(count: number, after = GENESIS_HASH, workspaceId?: string): Generator<ChainedRecord> {
  let head = after;
  for (let index = 0; index < count; index++) {
    const sealed = chainRecord(head, recordOf(index, workspaceId));
    head = sealed.hash;
    yield sealed;
  }
}

describe('verifyChain', () => {
  it('accepts a chain as written, also after a JSON round trip', async () => {
    const chain = [...chainOf(20)];
    const stored = chain.map((sealed) => JSON.parse(JSON.stringify(sealed)) as ChainedRecord);
    expect(await verifyChain(stored)).toEqual({ ok: true, count: 20, head: chain.at(-1)!.hash });
    expect(await verifyChain([])).toEqual({ ok: true, count: 0, head: GENESIS_HASH });
  });

  it('detects an edit of any single byte', async () => {
    const chain = [...chainOf(9)].slice(6);
    const previousHash = chain[0]!.previousHash;
    const lines = chain.map((sealed) => JSON.stringify(sealed));
    let edits = 0;
    for (const [row, line] of lines.entries()) {
      for (let at = 0; at < line.length; at++) {
        const other = line[at] === '1' ? '2' : '1';
        const edited = parsed(line.slice(0, at) + other + line.slice(at + 1));
        if (edited === undefined) continue;
        edits += 1;
        const verdict = await verifyChain(chain.with(row, edited), { after: previousHash });
        expect(verdict, `${row}:${at}`).toMatchObject({ ok: false, brokenAt: row });
      }
    }
    expect(edits).toBeGreaterThan(1500);
  });

  it('detects edits of the stored text that parse to the same JSON', async () => {
    let head = GENESIS_HASH;
    const rows = Array.from({ length: 3 }, (_, index) => {
      const sealed = { id: `cns_${index}`, ...chainContent(head, recordOf(index)) };
      head = sealed.hash;
      return sealed;
    });
    expect(await verifyChain(rows, { workspaceId: 'ws_1', head })).toEqual({ ok: true, count: 3, head });
    const row = rows[1]!;
    const edits = [
      { ...row, content: row.content.replace('{', '{ ') },
      { ...row, content: row.content.replace('cns_1', 'cns_\\u0031') },
      { ...row, content: `${row.content} ` },
      { ...row, id: 'cns_9' },
      resealed(row, 'no record'),
      resealed(row, 'null'),
      { ...row, hash: row.hash.toUpperCase() },
    ];
    for (const edited of edits) {
      const verdict = await verifyChain(rows.with(1, edited));
      expect(verdict).toMatchObject({ ok: false, brokenAt: 1, why: 'hash_mismatch' });
    }
  });

  it('detects missing, duplicate, moved, extended and forged records', async () => {
    const chain = [...chainOf(5)];
    const [, second, third] = chain as [ChainedRecord, ChainedRecord, ChainedRecord];
    const verify = (records: ChainedRecord[]) => verifyChain(records);
    expect(await verify(chain.toSpliced(1, 1))).toMatchObject({ brokenAt: 1, why: 'link_broken' });
    expect(await verify(chain.toSpliced(1, 0, second))).toMatchObject({ brokenAt: 2, why: 'link_broken' });
    expect(await verify(chain.with(1, third).with(2, second))).toMatchObject({ brokenAt: 1 });
    expect(await verify(chain.slice(1))).toMatchObject({ brokenAt: 0, why: 'link_broken' });
    const added = { ...third, gpcBody: true };
    expect(await verify(chain.with(2, added))).toMatchObject({ brokenAt: 2, why: 'hash_mismatch' });
    // Rewriting a record and its hash breaks the link of the next one.
    const forged = chainRecord(second.hash, { ...recordOf(2), decision: 'denied' });
    expect(await verify(chain.with(2, forged))).toMatchObject({ brokenAt: 3, why: 'link_broken' });
  });

  it('detects a cut-off end by its head, and records of another workspace', async () => {
    const chain = [...chainOf(5)];
    const head = chain.at(-1)!.hash;
    expect((await verifyChain(chain.slice(0, 4))).ok).toBe(true);
    expect(await verifyChain(chain.slice(0, 4), { head })).toMatchObject({ why: 'head_mismatch', count: 4 });
    expect(await verifyChain(chain, { head, workspaceId: 'ws_1' })).toMatchObject({ ok: true });
    expect(await verifyChain(chain, { workspaceId: 'ws_2' })).toMatchObject({
      why: 'foreign_workspace',
      brokenAt: 0,
    });
  });

  it('accepts every earlier head and no other hash', async () => {
    const chain = [...chainOf(5)];
    for (const head of [GENESIS_HASH, ...chain.map(({ hash }) => hash)]) {
      expect(await verifyChain(chain, { head })).toMatchObject({ ok: true, count: 5 });
    }
    expect(await verifyChain(chain, { head: 'f'.repeat(64) })).toMatchObject({ why: 'head_mismatch' });
    // A chain that is rewritten from one record on no longer contains the later heads.
    const rewritten = [...chain.slice(0, 2), ...chainOf(3, chain[1]!.hash)];
    expect(await verifyChain(rewritten, { head: chain[1]!.hash })).toMatchObject({ ok: true });
    expect(await verifyChain(rewritten, { head: chain[2]!.hash })).toMatchObject({ why: 'head_mismatch' });
  });

  it('continues across pages', async () => {
    const chain = [...chainOf(10)];
    const first = await verifyChain(chain.slice(0, 6));
    expect(await verifyChain(chain.slice(6), { after: first.head })).toMatchObject({ ok: true, count: 4 });
  });

  it('hashes the previous hash followed by the canonical record', () => {
    const record = recordOf(8);
    const hash = createHash('sha256').update('ab'.repeat(32)).update(canonicalJson(record)).digest('hex');
    expect(chainRecord('ab'.repeat(32), record)).toEqual({ ...record, previousHash: 'ab'.repeat(32), hash });
  });

  it('verifies many records in pages', async () => {
    const chain = [...chainOf(20_000)];
    async function* pages() {
      for (let at = 0; at < chain.length; at += 1000) yield* chain.slice(at, at + 1000);
    }
    expect(await verifyChain(pages())).toMatchObject({ ok: true, count: 20_000 });
  });
});

describe('parsePage', () => {
  it.each([
    ['https://shop.example/a/b?email=ann@example.com#top', { origin: 'https://shop.example', path: '/a/b' }],
    ['https://ann:secret@shop.example:443/', { origin: 'https://shop.example', path: '/' }],
    ['http://localhost:3000', { origin: 'http://localhost:3000', path: '/' }],
    ['javascript:alert(1)', undefined],
    ['/a', undefined],
    ['', undefined],
  ])('reduces %s to origin and path', (url, page) => {
    expect(parsePage(url)).toEqual(page);
  });
});

function resealed<Row extends { previousHash: string }>(row: Row, content: string) {
  return {
    ...row,
    content,
    hash: createHash('sha256')
      .update(row.previousHash + content)
      .digest('hex'),
  };
}

function parsed(line: string): ChainedRecord | undefined {
  try {
    return JSON.parse(line) as ChainedRecord;
  } catch {
    return undefined;
  }
}

describe('claimed region', () => {
  openServiceBeforeEach();
  it.each([
    [TEXAS, { country_code: 'DE' }, 'opt_in', 'DE'],
    [TEXAS, { country_code: 'us', region_code: 'US-ca' }, 'opt_out', 'US-CA'],
    [GERMANY, { country_code: 'US', region_code: 'US-TX' }, 'opt_in', 'US-TX'],
    [GERMANY, { region_code: 'US' }, 'opt_in', 'US'],
    [TEXAS, { country_code: 'XX' }, 'opt_out', 'ZZ'],
    [TEXAS, {}, 'opt_out', 'ZZ'],
  ])('resolves %j with the claim %j to %s', async (actual, region, mode, regionClaimed) => {
    const visitor = await harness.boot({}, actual);
    await decide(visitor, { decision: 'dismissed', region, override_source: 'region_override' });
    const [record] = await records();
    expect(record).toMatchObject({
      mode,
      regionClaimed,
      regionCode: visitor.consent_directive.region_code,
      overrideSource: 'region_override',
    });
    expect(record!.purposes.analytics).toBe(mode === 'opt_in' ? 'denied' : 'granted');
  });
});

describe('consent log in storage', () => {
  openServiceBeforeEach();
  it('verifies after concurrent decisions of many visitors', async () => {
    const visitors = await Promise.all(
      Array.from({ length: 12 }, (_, i) => harness.boot({}, i % 2 ? GERMANY : TEXAS)),
    );
    const decisions = ['accepted', 'denied', 'dismissed', 'accepted', 'gpc_auto_optout'];
    await Promise.all(
      visitors.flatMap((visitor) => decisions.map((one) => decide(visitor, { decision: one }))),
    );
    const workspaceId = harness.workspace.id;
    const links = await chain();
    expect(await verifyChain(links, { workspaceId })).toMatchObject({ ok: true, count: 60 });
    expect(links.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    const all = await records();
    expect(new Set(all.map(({ visitorId }) => visitorId)).size).toBe(12);
    for (const record of all) {
      const sameVisitor = all.filter(({ visitorId }) => visitorId === record.visitorId);
      expect(record.previousDecisionId).toBe(sameVisitor[sameVisitor.indexOf(record) - 1]?.id);
      const policy = await harness.service.store.consentPolicies.find(workspaceId, record.policyVersion);
      expect(policy?.document).toContain('{');
    }
    for (const visitor of visitors) {
      expect(JSON.stringify(links)).not.toContain(visitor.visitor_id);
      expect(JSON.stringify(links)).not.toContain(harness.pseudonym(visitor));
    }
    const cli = commandLine(harness.dataDir, clock.now, harness.env);
    expect(await cli.json(['consent', 'verify', '--workspace', workspaceId])).toMatchObject({
      ok: true,
      records: 60,
    });
  });

  it('survives erasure without identifying the visitor, and still verifies', async () => {
    const visitor = await harness.boot({}, GERMANY);
    await decide(visitor);
    const before = await chain();
    const authorization = `Bearer ${visitor.jwt}`;
    await harness.fetch('/visitor', { method: 'DELETE', headers: { authorization } });
    expect(await chain()).toEqual(before);
    expect(await verifyChain(before, { workspaceId: harness.workspace.id })).toMatchObject({
      ok: true,
      count: 1,
    });
    expect(await store().consents.getCurrentDecision(harness.pseudonym(visitor))).toBeUndefined();
    const back = await harness.boot({ visitor_id: visitor.visitor_id }, GERMANY);
    expect(back.consent_directive).toMatchObject({ ask: true, reason: 'region_rule' });
    // A returning visitor gets a new pseudonym.
    await decide(back);
    const [first, second] = await records();
    expect(second!.visitorId).not.toBe(first!.visitorId);
    expect(second!.previousDecisionId).toBeUndefined();
  });

  it('rejects changes through SQL, and detects changes to the file', async () => {
    const visitor = await harness.boot({}, GERMANY);
    for (const decision of ['accepted', 'denied', 'accepted']) await decide(visitor, { decision: decision });
    await expect(query(harness, "UPDATE consent_records SET content = '{}'")).rejects.toThrow(/append-only/);
    await expect(query(harness, 'DELETE FROM consent_records')).rejects.toThrow(/append-only/);
    const links = await chain();
    const forged = links.map((link, index) =>
      index === 1 ? { ...link, content: link.content.replace('denied', 'accepted') } : link,
    );
    expect(await verifyChain(forged)).toMatchObject({ ok: false, brokenAt: 1, why: 'hash_mismatch' });
    expect(await verifyChain(links.toSpliced(1, 1))).toMatchObject({ ok: false, why: 'link_broken' });
  });
});
