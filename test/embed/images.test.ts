import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { readImage } from '../../server/knowledge/images/image-file.ts';
import { auditEntry } from '../storage/suite/events.ts';
import { expectAccessible } from '../support/browser.ts';
import { ask, type DemoSite, openDemoSite, openPanel, ready, type Visit } from '../support/demo-site.ts';

const imageId = newId('img');
const STEPS = `To fold the map:

1. Open the map.
2. Fold it twice.

   ![A map that is folded twice](/images/${imageId})
3. Put it into the box.

![A stranger's picture](https://stranger.example/pixel.png)`;

let site: DemoSite;
let visit: Visit;
beforeAll(async () => {
  const article = { slug: 'fold-map', locale: 'en', title: 'Fold a map', answer: STEPS };
  site = await openDemoSite({ articles: [article] });
  const file = readImage(readFileSync(new URL('../../docs/demo.png', import.meta.url)))!;
  const createdAt = site.harness.clock.now();
  const image = { ...file, id: imageId, name: 'map.png', createdAt, createdBy: 'operator' };
  const limits = { countMax: 1, bytesMax: file.contentBytes };
  await site.harness.service.store.in(site.workspaceId).images.put(image, limits, auditEntry(createdAt));
});
afterEach(() => visit.close());
afterAll(() => site.close());

it('the panel shows the cited words as the article formats them', async () => {
  visit = await site.open();
  const { page } = visit;
  await openPanel(page);
  await ask(page, 'How do I fold a map?');
  await page.getByRole('button', { name: 'Source 1: Fold a map' }).click();
  const words = page.getByRole('region', { name: 'Fold a map' }).locator('blockquote');
  expect(await words.getByRole('listitem').count()).toBe(3);
  expect(await words.getByRole('img', { name: 'A map that is folded twice' }).count()).toBe(1);
  expect(await words.innerText()).not.toMatch(/!\[|1\./);
  await expectAccessible(page);
});

it('the panel shows the image of a step in its place, and no images of other sites', async () => {
  visit = await site.open();
  const { page, pageErrors, requests } = visit;
  await openPanel(page);
  await ask(page, 'How do I fold a map?');
  await ready(page);
  const answer = page.locator('.answer').last();
  const image = answer.getByRole('img', { name: 'A map that is folded twice' });
  await image.waitFor();
  await expect
    .poll(() => image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth))
    .toBeGreaterThan(0);
  expect(await image.getAttribute('loading')).toBe('lazy');
  const step = answer.getByRole('listitem').filter({ has: page.getByRole('img') });
  expect(await step.innerText()).toContain('Fold it twice.');
  expect(await answer.getByRole('list').first().getByRole('listitem').count()).toBe(3);
  expect(await answer.innerText()).not.toContain('/images/');
  expect(requests.map((request) => new URL(request.url()).host)).not.toContain('stranger.example');
  await expectAccessible(page);
  expect(pageErrors).toEqual([]);
});

it('an enlarged image closes with Escape, and the panel stays open', async () => {
  visit = await site.open();
  const { page } = visit;
  await openPanel(page);
  await ask(page, 'How do I fold a map?');
  await ready(page);
  const answer = page.locator('.answer').last();
  await answer.getByRole('button', { name: 'Enlarge', exact: true }).click();
  const enlarged = answer.locator('dialog[open]');
  await enlarged.waitFor();
  await page.keyboard.press('Escape');
  await enlarged.waitFor({ state: 'detached' });
  await answer.getByRole('img', { name: 'A map that is folded twice' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
});
