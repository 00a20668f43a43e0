import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Named, since axe leaves out by default what came with WCAG 2.2. */
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary: string }[];
};

/**
 * Nothing on the page, or in one element of it, breaks a rule of WCAG 2.2 AA or of good practice, in light or in dark colours. The page is
 * looked at once with all rules; what its other colours can break is what they tell apart.
 */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  expect(await violations(page, within, ALL_RULES, 10)).toEqual([]);
  // Colours that the visitor forces are the same in both.
  if (await page.evaluate(`matchMedia('(forced-colors: active)').matches`)) return;
  await page.emulateMedia({ colorScheme: 'dark' });
  try {
    const found = await violations(page, within, RULES_OF_COLOURS, 0);
    expect(found, 'in dark colours').toEqual([]);
  } finally {
    await page.emulateMedia({ colorScheme: 'light' });
  }
}

/** Where fewer rules than this are kept, nothing was looked at. */
async function violations(
  page: Page,
  within: string | undefined,
  runOnly: readonly string[],
  passedMin: number,
): Promise<string[]> {
  const context = within === undefined ? 'document' : JSON.stringify({ include: [within] });
  const { found, passed } = (await page.evaluate(`
    new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
      .then(() => document.getAnimations().forEach((each) => each instanceof CSSTransition && each.finish()))
      .then(() => axe.run(${context}, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })}))
      .then(({ violations, passes }) => ({ found: violations, passed: passes.length }))`)) as {
    found: Violation[];
    passed: number;
  };
  expect(passed, 'rules that looked at something').toBeGreaterThan(passedMin);
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target}: ${failureSummary}`),
  );
}
