import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Records what a person presses, in order. Typing, Tab and scrolling are free. */
type Clicks = {
  pressed: readonly string[];
  /** Expects a journey to stay within a budget, and lists its clicks when it does not. */
  expectAtMost: (budget: number) => void;
};

/** Counts a press of a pointer, and its keyboard equivalents: Enter or Space on a control, Enter in a field, a shortcut. */
const LISTENER = `(() => {
  if (window.countsClicks) return;
  window.countsClicks = true;
  const name = (target) => {
    const control = target.closest?.('a, button, input, select, textarea, label, [role]') ?? target;
    const words = control.getAttribute?.('aria-label') || control.textContent?.trim() || control.getAttribute?.('name');
    return [control.getAttribute?.('role') ?? control.localName, words?.slice(0, 60)].filter(Boolean).join(' ');
  };
  const report = (how, event) => event.isTrusted && window.countClick(how + ' ' + name(event.composedPath()[0]));
  // Clicks without a pointer come from labels and keys; the event before them has been counted.
  addEventListener('click', (event) => event.pointerId >= 0 && report('press', event), true);
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    if (repeat || ['Control', 'Meta', 'Alt', 'Shift', 'Tab'].includes(key)) return;
    const target = event.composedPath()[0];
    const isText = target.matches?.('input:not([type=checkbox], [type=radio]), textarea, [contenteditable]');
    if (ctrlKey || metaKey || altKey) return report('shortcut ' + key + ' on', event);
    if (key === 'Enter' ? !(isText && shiftKey) : key === ' ' && !isText) report(key + ' on', event);
  }, true);
})()`;

const counted = new WeakMap<BrowserContext, string[]>();

/** Starts counting from zero on all pages of the context. */
export async function countClicks(page: Page): Promise<Clicks> {
  const context = page.context();
  const pressed = counted.get(context) ?? [];
  if (!counted.has(context)) {
    counted.set(context, pressed);
    await context.exposeBinding('countClick', (_, what: string) => void pressed.push(what));
    await context.addInitScript(LISTENER);
  }
  for (const open of context.pages()) await open.evaluate(LISTENER);
  pressed.length = 0;
  return {
    pressed,
    expectAtMost: (budget) => {
      expect(pressed.length, 'the clicks were counted').toBeGreaterThan(0);
      expect(pressed.length, `clicks:\n${pressed.join('\n')}`).toBeLessThanOrEqual(budget);
    },
  };
}

/**
 * Waits until the accessibility tree (Playwright's `ariaSnapshot`) has these nodes in this order; others may stand between them.
 * Each names a role, and where it matters name, states and content: `button "Publish" [disabled]`.
 */
export async function expectTree(part: Locator, nodes: readonly string[]): Promise<void> {
  const findMissing = async () => {
    const tree = await part.ariaSnapshot();
    const lines = tree.split('\n').map(readNode);
    let from = 0;
    for (const node of nodes) {
      const at = lines.findIndex(
        (line, index) => index >= from && (line === node || line.startsWith(`${node}:`)),
      );
      if (at < 0) return `${node} is missing in\n${tree}`;
      from = at + 1;
    }
    return '';
  };
  await expect.poll(findMissing).toBe('');
}

/** A line without its indentation and the quotes that YAML needs. */
const readNode = (line: string) =>
  line
    .trim()
    .replace(/^- /, '')
    .replace(/^'(.*?)'(?=:|$)/, '$1');
