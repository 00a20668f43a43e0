import { describe, expect, it } from 'vitest';
import { MINUTE, MORNING, settings } from '../samples.ts';
import type { Subject } from '../subject.ts';

const DOMAIN = 'https://*.shop.example';
const allowed = ['https://shop.example', DOMAIN];

export function describeSightings(subject: () => Subject): void {
  const allow = (workspaceId: string, allowedOrigins: readonly string[] = allowed) =>
    subject().store.workspaces.change(workspaceId, { settings: settings({ allowedOrigins }) }, MORNING);
  const seen = (atMillis = MORNING, domain = DOMAIN) => ({
    workspaceId: subject().here,
    domain,
    origin: 'https://a.shop.example',
    atMillis,
  });
  const kept = () => subject().store.in(subject().here).installations();
  const shown = ({ workspaceId: _, ...sighting }: ReturnType<typeof seen>) => sighting;

  describe('installation checks', () => {
    it('keeps the newest check for each allowed domain of its workspace', async () => {
      const { store, there } = subject();
      await allow(subject().here);
      const newer = { ...seen(MORNING + MINUTE), origin: 'https://b.shop.example' };
      const exact = { ...seen(MORNING, 'https://shop.example'), origin: 'https://shop.example' };
      await store.installations.keep([seen(), newer, exact]);
      await store.installations.keep([seen()]);
      const rows = (await kept()).toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
      expect(rows).toStrictEqual([shown(newer), shown(exact)]);
      expect(await store.in(there).installations()).toStrictEqual([]);
    });

    it('drops the checks of a domain that is no longer allowed', async () => {
      const { store, here } = subject();
      await allow(here);
      await store.installations.keep([seen()]);
      await allow(here, ['https://shop.example']);
      await store.installations.keep([seen(MORNING + MINUTE), seen(MORNING, 'https://shop.example')]);
      expect((await kept()).map(({ domain }) => domain)).toStrictEqual(['https://shop.example']);
    });

    it('keeps checks over a restart', async () => {
      const { store, here, reopen } = subject();
      await allow(here);
      await store.installations.keep([seen()]);
      expect(await (await reopen()).in(here).installations()).toStrictEqual([shown(seen())]);
    });
  });
}
