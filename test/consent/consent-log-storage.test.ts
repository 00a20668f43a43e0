import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { verifyChain } from '../../server/consent/consent-log.ts';
import { commandLine } from '../cli/command-line.ts';
import { clock } from '../harness.ts';
import { GERMANY, TEXAS } from './decisions.ts';
import { aServiceEverywhereForEach, chain, decide, harness, records, store } from './harness.ts';

aServiceEverywhereForEach();

describe('claimed region', () => {
  it.each([
    [TEXAS, { country_code: 'DE' }, 'opt_in', 'DE'],
    [TEXAS, { country_code: 'us', region_code: 'US-ca' }, 'opt_out', 'US-CA'],
    [GERMANY, { country_code: 'US', region_code: 'US-TX' }, 'opt_in', 'US-TX'],
    [GERMANY, { region_code: 'US' }, 'opt_in', 'US'],
    [TEXAS, { country_code: 'XX' }, 'opt_out', 'ZZ'],
    [TEXAS, {}, 'opt_out', 'ZZ'],
  ])('resolves %j then %j to %s', async (actual, region, mode, regionClaimed) => {
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
    for (const { visitor_id } of visitors) expect(JSON.stringify(links)).not.toContain(visitor_id);
    const cli = commandLine(harness.dataDir, clock.now);
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
    expect(await store().consents.getCurrentDecision(visitor.visitor_id)).toBeUndefined();
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
    for (const one of ['accepted', 'denied', 'accepted']) await decide(visitor, { decision: one });
    const database = new Database(harness.config.database.file);
    expect(() => database.exec("UPDATE consent_records SET content = '{}'")).toThrow();
    expect(() => database.exec('DELETE FROM consent_records')).toThrow();
    const links = await chain();
    const forged = links.map((link, index) =>
      index === 1 ? { ...link, content: link.content.replace('denied', 'accepted') } : link,
    );
    expect(await verifyChain(forged)).toMatchObject({ ok: false, brokenAt: 1, why: 'hash_mismatch' });
    expect(await verifyChain(links.toSpliced(1, 1))).toMatchObject({ ok: false, why: 'link_broken' });
    database.close();
  });
});
