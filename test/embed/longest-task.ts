import type { Page } from 'playwright-core';

type TraceEvent = {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Microseconds of the processor, whatever else the machine was busy with meanwhile. */
  readonly tdur?: number;
  readonly args: { readonly name?: string; readonly data?: { readonly url?: string } };
};

/** A visitor's processor, beside this one. */
const SLOWER = 4;

/**
 * Milliseconds that the longest task of the page would take on a processor of a quarter of this one's speed. It is told from the time of the
 * processor alone: what observers in the page measure, and what a browser does to be slower, counts the work of other programs too.
 */
export async function longestTask(page: Page, happens: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'devtools.timeline'] });
  await happens();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}.${tid}`;
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const own = traceEvents.filter((event) => event.ph === 'X' && main.has(threadOf(event)));
  // What this test itself evaluates in the page has no address.
  const ours = own.filter(({ name, args }) => name === 'EvaluateScript' && !args.data?.url);
  const tasks = own.filter(
    (task) =>
      task.name.endsWith('RunTask') &&
      !ours.some(({ ts }) => ts >= task.ts && ts <= task.ts + (task.dur ?? 0)),
  );
  return Math.max(...tasks.map(({ tdur = 0 }) => (tdur / 1000) * SLOWER));
}
