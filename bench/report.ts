/** What was measured, as one table. */
import type { Outcome } from './load.ts';

/** One round of one contestant. */
export type Measured = {
  readonly perSecond: number;
  /** Processor time of the server for one request; undefined where the system does not tell. */
  readonly cpuMicros: number | undefined;
};

export type Comparison = {
  readonly connections: number;
  readonly rounds: readonly { readonly bare: Measured; readonly service: Measured }[];
  /** Medians of the rounds. */
  readonly bare: Measured;
  readonly service: Measured;
  /** The median of the rounds' ratios, service to bare. */
  readonly ratio: number;
  /** The same in processor time: what the ratio would be if each server had been busy all the time. */
  readonly cpuRatio: number | undefined;
  /** How far apart the middle half of the rounds' ratios lie, as a part of the median. */
  readonly noise: number;
};

type Started = { readonly millis: number; readonly residentBytes: number | undefined };

export type Results = {
  readonly boots: readonly Comparison[];
  readonly chats: readonly Comparison[];
  readonly idle: { readonly bare: Outcome; readonly service: Outcome };
  readonly starts: { readonly bare: Started; readonly service: Started };
  readonly residentAfter: { readonly bare: number | undefined; readonly service: number | undefined };
  /** Of one core, 0 to 1. */
  readonly loadBusyMost: number;
  /** Whether servers and load generator had cores of their own. */
  readonly pinned: boolean;
};

export function compare(
  connections: number,
  rounds: readonly { readonly bare: Measured; readonly service: Measured }[],
): Comparison {
  const ratios = rounds.map(({ bare, service }) => service.perSecond / bare.perSecond);
  const ratio = median(ratios);
  return {
    connections,
    rounds,
    bare: middle(rounds.map(({ bare }) => bare)),
    service: middle(rounds.map(({ service }) => service)),
    ratio,
    cpuRatio: cpuRatioOf(rounds),
    noise: (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / ratio,
  };
}

function cpuRatioOf(rounds: Comparison['rounds']): number | undefined {
  const ratios = rounds.flatMap(({ bare, service }) =>
    bare.cpuMicros === undefined || service.cpuMicros === undefined
      ? []
      : [bare.cpuMicros / service.cpuMicros],
  );
  return ratios.length === 0 ? undefined : median(ratios);
}

function middle(rounds: readonly Measured[]): Measured {
  const cpu = rounds.flatMap(({ cpuMicros }) => (cpuMicros === undefined ? [] : [cpuMicros]));
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    cpuMicros: cpu.length === 0 ? undefined : median(cpu),
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

type Row = {
  readonly what: string;
  readonly bare?: string;
  readonly service?: string;
  readonly ratio?: string;
  readonly target?: string;
  readonly met?: boolean;
  readonly cpuBare?: string;
  readonly cpuService?: string;
  readonly cpuRatio?: string;
};

const BOOT_RATIO_MIN = 0.4;
const TURN_RATIO_MIN = 0.9;
const FIRST_BYTE_MILLIS_MAX = 2;
const FIRST_TEXT_MILLIS_MAX = 20;
const START_RATIO_MAX = 1.7;

export function table(results: Results, machine: string): string {
  const { boots, chats, idle, starts, residentAfter } = results;
  const rows: Row[] = [
    ...boots.map((one) =>
      rateRow('boot, requests/s', one, one.connections === 32 ? BOOT_RATIO_MIN : undefined),
    ),
    ...chats.map((one) => rateRow('chat, turns/s', one, TURN_RATIO_MIN)),
    latencyRow('first byte when idle, ms p50', idle, 'firstByteMillis', 0.5, FIRST_BYTE_MILLIS_MAX),
    latencyRow('first byte when idle, ms p99', idle, 'firstByteMillis', 0.99),
    latencyRow('first text when idle, ms p50', idle, 'firstTextMillis', 0.5),
    latencyRow('first text when idle, ms p99', idle, 'firstTextMillis', 0.99, FIRST_TEXT_MILLIS_MAX),
    startRow(starts),
    memoryRow('memory after the start, MB', starts.bare.residentBytes, starts.service.residentBytes),
    memoryRow('memory after the load, MB', residentAfter.bare, residentAfter.service),
  ];
  const head: Row = {
    what: `Guidepost beside bare node servers (${machine})`,
    bare: 'bare',
    service: 'Guidepost',
    ratio: 'ratio',
    target: 'target',
    cpuBare: 'CPU µs bare',
    cpuService: 'Guidepost',
    cpuRatio: 'ratio',
  };
  return `\n${aligned([head, ...rows].map(cellsOf)).join('\n')}\n\n${remarks(results).join('\n')}\n`;
}

function rateRow(what: string, one: Comparison, ratioMin: number | undefined): Row {
  return {
    what: `${what}, ${one.connections} connection${one.connections === 1 ? '' : 's'}`,
    bare: whole(one.bare.perSecond),
    service: whole(one.service.perSecond),
    ratio: one.ratio.toFixed(2),
    ...(ratioMin === undefined
      ? {}
      : {
          target: `≥ ${ratioMin.toFixed(2)}`,
          met: Math.min(one.ratio, one.cpuRatio ?? one.ratio) >= ratioMin,
        }),
    cpuBare: micros(one.bare.cpuMicros),
    cpuService: micros(one.service.cpuMicros),
    cpuRatio: one.cpuRatio?.toFixed(2) ?? '-',
  };
}

function latencyRow(
  what: string,
  idle: Results['idle'],
  which: 'firstByteMillis' | 'firstTextMillis',
  part: number,
  millisMax?: number,
): Row {
  const bare = quantile(idle.bare[which], part);
  const service = quantile(idle.service[which], part);
  return {
    what,
    bare: bare.toFixed(2),
    service: service.toFixed(2),
    ratio: (service / bare).toFixed(2),
    ...(millisMax === undefined ? {} : { target: `≤ ${millisMax} ms`, met: service <= millisMax }),
  };
}

function startRow({ bare, service }: Results['starts']): Row {
  const ratio = service.millis / bare.millis;
  return {
    what: 'start to the first 200, ms',
    bare: whole(bare.millis),
    service: whole(service.millis),
    ratio: ratio.toFixed(2),
    target: `≤ ${START_RATIO_MAX.toFixed(2)}`,
    met: ratio <= START_RATIO_MAX,
  };
}

function memoryRow(what: string, bare: number | undefined, service: number | undefined): Row {
  return { what, bare: megabytes(bare), service: megabytes(service) };
}

function remarks({ boots, chats, loadBusyMost, pinned }: Results): string[] {
  const all = [...boots, ...chats];
  const noise = all.map((one) => one.noise);
  const lines = [
    `Medians of ${all[0]?.rounds.length} interleaved rounds. Noise: the middle half of the ratios lies within ` +
      `${percent(median(noise))} of the median, ${percent(Math.max(...noise))} at worst.`,
    'A rate meets its target when requests a second and processor time both say so: on a busy machine the first alone flatters.',
    `The load generator used ${percent(loadBusyMost)} of a core at most${loadBusyMost > 0.95 ? ', which held the fastest contestant back: ratios are too kind' : ''}.`,
  ];
  if (!pinned) {
    lines.push(
      'Servers and load generator shared their cores (no taskset, or one core only): latencies are too high.',
    );
  }
  if (all.some(({ service }) => service.cpuMicros === undefined)) {
    lines.push('Processor times and memory are missing: this system has no /proc.');
  }
  return lines;
}

function cellsOf(row: Row): string[] {
  const mark = row.met === undefined ? '' : row.met ? '✓' : '✗ missed';
  const { what, bare, service, ratio, target, cpuBare, cpuService, cpuRatio } = row;
  return [what, bare, service, ratio, target, mark, cpuBare, cpuService, cpuRatio].map((cell) => cell ?? '');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 || at === 5 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd(),
  );
}

const whole = (value: number) => Math.round(value).toLocaleString('en');
const micros = (value: number | undefined) => (value === undefined ? '-' : value.toFixed(0));
const megabytes = (bytes: number | undefined) => (bytes === undefined ? '-' : (bytes / 1e6).toFixed(0));
const percent = (part: number) => `${(part * 100).toFixed(0)} %`;
