import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary: string }[];
};

/**
 * Nothing on the page, or in one element of it, breaks a rule of WCAG 2.2 AA or of good practice, in light or in dark colours. The page is
 * looked at once with all rules; what its other colours can break is their contrast.
 */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  expect(await violations(page, within, {})).toEqual([]);
  // Colours that the visitor forces are the same in both.
  if (await page.evaluate(`matchMedia('(forced-colors: active)').matches`)) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  try {
    const found = await violations(page, within, { runOnly: ['color-contrast'] });
    expect(found, 'in dark colours').toEqual([]);
  } finally {
    await page.emulateMedia({ colorScheme: 'light' });
  }
}

async function violations(page: Page, within: string | undefined, options: object): Promise<string[]> {
  const context = within === undefined ? 'document' : JSON.stringify({ include: [within] });
  const { found, passed } = (await page.evaluate(`
    new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
      .then(() => document.getAnimations().forEach((each) => each instanceof CSSTransition && each.finish()))
      .then(() => axe.run(${context}, ${JSON.stringify(options)}))
      .then(({ violations, passes, incomplete }) => ({ found: violations, passed: passes.length + incomplete.length }))`)) as {
    found: Violation[];
    passed: number;
  };
  expect(passed, 'rules that looked at something').toBeGreaterThan(0);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  );
}
