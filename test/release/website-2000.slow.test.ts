import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, it } from 'vitest';
import type { SourceRunRecord } from '../../contract/source-runs.ts';
import type { SourceRecord } from '../../contract/sources.ts';
import { createCompanySite } from '../support/company-site.ts';
import { type Harness, openHarness, textOf } from '../support/harness.ts';
import { joinAs } from '../support/team.ts';
import { serveWebsite } from '../support/website.ts';

const TOPICS = 667;
const MINUTES_MAX = 10;
let harness: Harness;
afterAll(() => harness.close());

it(
  'a run imports 2,000 pages in three languages within ten minutes, and follows their changes',
  async () => {
    harness = await openHarness({ articles: [], env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
    const site = createCompanySite(TOPICS);
    let proof: SourceRecord['proof'];
    const website = await serveWebsite((path) =>
      path === proof?.path ? proof.token : site.serve(website.origin, path),
    );
    const member = await joinAs(harness, harness.workspace, 'admin');
    const call = async <T>(answer: Promise<{ status: number; json: unknown; text: string }>): Promise<T> => {
      const { status, json, text } = await answer;
      expect(status, text).toBeLessThan(300);
      return json as T;
    };
    const source = await call<SourceRecord>(
      member.post('/knowledge/sources', {
        name: 'Help',
        type: 'website',
        mode: 'publish',
        website: { startUrls: [`${website.origin}/sitemap.xml`] },
      }),
    );
    proof = source.proof;
    const path = `/knowledge/sources/${source.id}/runs`;
    const run = async () => {
      const { id } = await call<SourceRunRecord>(member.post(path, {}));
      for (;;) {
        await harness.service.tick();
        const state = await call<SourceRunRecord>(member.get(`${path}/${id}`));
        if (['done', 'failed', 'cancelled'].includes(state.state)) return state;
      }
    };
    const { jwt } = await harness.boot();
    const ask = async (message: string, language: string) => {
      const events = await harness.ask(jwt, { message }, { 'accept-language': language });
      const urls = events.flatMap((event) => (event.type === 'citation' && event.url ? [event.url] : []));
      return { text: textOf(events), urls };
    };

    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const startedAt = performance.now();
    expect(await run()).toMatchObject({
      state: 'done',
      counts: { added: TOPICS * 3, refused: 0, conflicts: 0 },
    });
    const minutes = (performance.now() - startedAt) / 60_000;
    delay.disable();
    console.log(
      `2,000 pages: ${minutes.toFixed(1)} min; longest block ${(delay.max / 1e6).toFixed(0)} ms, p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms`,
    );
    expect(minutes).toBeLessThan(MINUTES_MAX);

    const english = await ask(`${site.titleOf(42, 'en')}?`, 'en');
    expect(english.urls[0]).toContain(`${website.origin}/en/help/42`);
    const german = await ask(`Welchen Servicecode brauche ich: ${site.titleOf(42, 'de')}?`, 'de');
    expect(german.text).toContain(site.codeOf(42));
    const french = await ask(`Quels coûts : ${site.titleOf(42, 'fr')} ?`, 'fr');
    expect(french.urls.length).toBeGreaterThan(0);
    console.log(JSON.stringify({ english, german, french }, null, 1));

    site.change(42, 'NEW-CODE-42');
    site.remove(7);
    const before = website.requests.length;
    expect(await run()).toMatchObject({
      state: 'done',
      counts: { added: 0, changed: 3, removed: 3, refused: 0 },
    });
    const conditional = website.requests.slice(before).filter(({ headers }) => headers['if-none-match']);
    expect(conditional).toHaveLength((TOPICS - 1) * 3);
    expect((await ask(`Welchen Servicecode brauche ich: ${site.titleOf(42, 'de')}?`, 'de')).text).toContain(
      'NEW-CODE-42',
    );
    const gone = await ask(`${site.titleOf(7, 'en')}?`, 'en');
    expect(gone.urls.filter((url) => url.endsWith('/help/7') || url.includes('/help/7#'))).toEqual([]);
  },
  20 * 60_000,
);
