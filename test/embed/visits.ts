import { afterAll, afterEach, beforeAll } from 'vitest';
import { type DemoSite, openDemoSite, type Visit, type VisitOptions } from './demo-site.ts';
import { openPanel } from './panel-page.ts';

/** The demo site of a test file, and visits that end with their test. */

export let site: DemoSite;
const visits: Visit[] = [];

export function aDemoSite(): void {
  beforeAll(async () => {
    site = await openDemoSite();
  });
  afterEach(async () => {
    for (const visit of visits.splice(0)) await visit.close();
  });
  afterAll(() => site.close());
}

export async function visit(options?: VisitOptions): Promise<Visit> {
  const opened = await site.open(options);
  visits.push(opened);
  return opened;
}

/** A visit with the panel open. */
export async function open(options?: VisitOptions): Promise<Visit> {
  const opened = await visit(options);
  await openPanel(opened.page);
  return opened;
}
