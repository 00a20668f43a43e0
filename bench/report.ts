/** Formats the results of bench.ts as tables. */
import type { Outcome } from './load.ts';

/** The service, the two peers, and a server on node:http alone. */
const NAMES = ['service', 'fastify', 'tsRest', 'bare'] as const;
export type Name = (typeof NAMES)[number];

/** One round of one server. */
export type Measured = {
  perSecond: number;
  /** CPU time per request, user and system; undefined where the system does not report it. */
  cpuMicros: number | undefined;
};

type Rounds = readonly Readonly<Partial<Record<Name, Measured>>>[];

export type Comparison = {
  connections: number;
  rounds: Rounds;
  /** Medians over the rounds. */
  medians: Readonly<Partial<Record<Name, Measured>>>;
  /** The service's figure divided by the other's: the median over the rounds. */
  rateRatio: Readonly<Partial<Record<Name, number>>>;
  cpuRatio: Readonly<Partial<Record<Name, number>>>;
  /** Interquartile range of the rate ratio to the bare server, as a share of its median. */
  noise: number;
};

type Started = { millis: number; residentBytes: number | undefined };
type Pair<T> = { bare: T; service: T };

export type Results = {
  boots: readonly Comparison[];
  chats: readonly Comparison[];
  idle: Pair<Outcome>;
  starts: Pair<Started>;
  residentAfter: Pair<number | undefined>;
  /** Share of one core, 0 to 1. */
  loadBusyMost: number;
  /** Whether servers and load generator ran on separate cores. */
  pinned: boolean;
};

export function compare(connections: number, rounds: Rounds): Comparison {
  const names = NAMES.filter((name) => rounds[0]?.[name] !== undefined);
  const others = names.filter((name) => name !== 'service');
  const getRatios = (other: Name, field: keyof Measured) =>
    rounds.flatMap((round) => {
      const [ours, theirs] = [round.service?.[field], round[other]?.[field]];
      return ours === undefined || theirs === undefined ? [] : [ours / theirs];
    });
  const toRecord = <T>(keys: readonly Name[], getValue: (name: Name) => T) =>
    Object.fromEntries(keys.map((name) => [name, getValue(name)])) as Partial<Record<Name, T>>;
  const bareRatios = getRatios('bare', 'perSecond');
  return {
    connections,
    rounds,
    medians: toRecord(names, (name) => getMedians(rounds.flatMap((round) => round[name] ?? []))),
    rateRatio: toRecord(others, (name) => median(getRatios(name, 'perSecond'))),
    cpuRatio: toRecord(others, (name) => median(getRatios(name, 'cpuMicros'))),
    noise: (quantile(bareRatios, 0.75) - quantile(bareRatios, 0.25)) / median(bareRatios),
  };
}

function getMedians(rounds: readonly Measured[]): Measured {
  const cpu = rounds.flatMap(({ cpuMicros }) => cpuMicros ?? []);
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

/** The service may use at most this share of the Fastify peer's CPU time per boot. */
const BOOT_CPU_RATIO_MAX = 0.9;
/** From 32 connections on, the service has to answer at least as many boots as the Fastify peer. */
const BOOT_RATE_RATIO_MIN = 1;
/** The service must reach this share of the turns per second, and per CPU time, of the server on node:http alone. */
const TURN_RATIO_MIN = 0.9;
const FIRST_BYTE_MILLIS_MAX = 2;
const FIRST_TEXT_MILLIS_MAX = 20;
const START_RATIO_MAX = 1.7;

type Goal = { text: string; isMet: boolean };

export function table(results: Results, machine: string): string {
  const parts = [
    `Guidepost compared with hand-written servers (${machine})`,
    format(rateTable(results)),
    format(cpuTable(results)),
    format(latencyTable(results)),
    remarks(results).join('\n'),
  ];
  return `\n${parts.join('\n\n')}\n`;
}

const SERVERS = ['Guidepost', 'Fastify', 'ts-rest', 'bare'];
const RATIOS = ['to Fastify', 'to ts-rest', 'to bare'];

function rateTable({ boots, chats }: Results): string[][] {
  const toRow = (name: string, comparison: Comparison, goal?: Goal) => [
    label(name, comparison),
    ...NAMES.map((name) => formatInteger(comparison.medians[name]?.perSecond)),
    ...ratioCells(comparison.rateRatio),
    ...goalCells(goal),
  ];
  return [
    ['requests per second', ...SERVERS, ...RATIOS, 'goal', ''],
    ...boots.map((comparison) =>
      toRow('boot', comparison, comparison.connections >= 32 ? getBootRateGoal(comparison) : undefined),
    ),
    ...chats.map((comparison) => toRow('chat', comparison, getTurnGoal(comparison))),
  ];
}

function cpuTable({ boots, chats }: Results): string[][] {
  const toRow = (name: string, comparison: Comparison, goal?: Goal) => [
    label(name, comparison),
    ...NAMES.map((name) => formatInteger(comparison.medians[name]?.cpuMicros)),
    ...ratioCells(comparison.cpuRatio),
    ...goalCells(goal),
  ];
  return [
    ['CPU time per request, µs', ...SERVERS, ...RATIOS, 'goal', ''],
    ...boots.map((comparison) => toRow('boot', comparison, getBootCpuGoal(comparison))),
    ...chats.map((comparison) => toRow('chat', comparison)),
  ];
}

function getBootRateGoal({ rateRatio: { fastify = Number.NaN } }: Comparison): Goal {
  return {
    text: `≥ ${BOOT_RATE_RATIO_MIN.toFixed(2)} of Fastify`,
    isMet: fastify >= BOOT_RATE_RATIO_MIN,
  };
}

function getBootCpuGoal({ cpuRatio: { fastify = Number.NaN } }: Comparison): Goal | undefined {
  if (Number.isNaN(fastify)) return undefined;
  return { text: `≤ ${BOOT_CPU_RATIO_MAX.toFixed(2)} of Fastify`, isMet: fastify <= BOOT_CPU_RATIO_MAX };
}

/** Judges by the worse of request rate and CPU time, because the rate alone is too favorable on a busy machine. */
function getTurnGoal({ rateRatio: { bare: rate = Number.NaN }, cpuRatio: { bare: cpu } }: Comparison): Goal {
  const worst = cpu === undefined || Number.isNaN(cpu) ? rate : Math.min(rate, 1 / cpu);
  return { text: `≥ ${TURN_RATIO_MIN.toFixed(2)} of bare`, isMet: worst >= TURN_RATIO_MIN };
}

function latencyTable({ idle, starts, residentAfter }: Results): string[][] {
  const latency = (
    title: string,
    field: 'firstByteMillis' | 'firstTextMillis',
    part: number,
    max?: number,
  ) => {
    const [service, bare] = [quantile(idle.service[field], part), quantile(idle.bare[field], part)];
    const goal = max === undefined ? undefined : { text: `≤ ${max} ms`, isMet: service <= max };
    return [title, service.toFixed(2), bare.toFixed(2), (service / bare).toFixed(2), ...goalCells(goal)];
  };
  const startRatio = starts.service.millis / starts.bare.millis;
  const startGoal = { text: `≤ ${START_RATIO_MAX.toFixed(2)} of bare`, isMet: startRatio <= START_RATIO_MAX };
  return [
    ['latency, start, memory', 'Guidepost', 'bare', 'to bare', 'goal', ''],
    latency('first byte when idle, ms p50', 'firstByteMillis', 0.5, FIRST_BYTE_MILLIS_MAX),
    latency('first byte when idle, ms p99', 'firstByteMillis', 0.99),
    latency('first text when idle, ms p50', 'firstTextMillis', 0.5),
    latency('first text when idle, ms p99', 'firstTextMillis', 0.99, FIRST_TEXT_MILLIS_MAX),
    [
      'start to the first 200, ms',
      formatInteger(starts.service.millis),
      formatInteger(starts.bare.millis),
      startRatio.toFixed(2),
      ...goalCells(startGoal),
    ],
    memoryRow('memory after the start, MB', starts.service.residentBytes, starts.bare.residentBytes),
    memoryRow('memory after the load, MB', residentAfter.service, residentAfter.bare),
  ];
}

function memoryRow(title: string, service: number | undefined, bare: number | undefined): string[] {
  return [title, megabytes(service), megabytes(bare), '', '', ''];
}

function remarks({ boots, chats, loadBusyMost, pinned }: Results): string[] {
  const all = [...boots, ...chats];
  const noise = all.map((comparison) => comparison.noise);
  const lines = [
    `Medians of ${all[0]?.rounds.length} interleaved rounds. Noise: half of the ratios to the bare server lie within ` +
      `${percent(median(noise))} of their median, ${percent(Math.max(...noise))} at worst.`,
    `The load generator used at most ${percent(loadBusyMost)} of a core${loadBusyMost > 0.95 ? ', which limited the fastest server: ratios flatter the others' : ''}.`,
  ];
  if (!pinned) {
    lines.push(
      'Servers and load generator shared cores (no taskset, or a single core): latencies are too high.',
    );
  }
  if (all.some(({ medians }) => medians.service?.cpuMicros === undefined)) {
    lines.push('CPU times and memory are missing: this system has no /proc.');
  }
  return lines;
}

const label = (kind: string, { connections }: Comparison) =>
  `${kind}, ${connections} connection${connections === 1 ? '' : 's'}`;

const ratioCells = (ratios: Comparison['rateRatio']) =>
  (['fastify', 'tsRest', 'bare'] as const).map((name) => {
    const ratio = ratios[name];
    return ratio === undefined || Number.isNaN(ratio) ? '-' : ratio.toFixed(2);
  });

const goalCells = (goal: Goal | undefined) =>
  goal === undefined ? ['', ''] : [goal.text, goal.isMet ? '✓' : '✗ missed'];

function format(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const last = widths.length - 1;
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === 0 || at === last ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const formatInteger = (value: number | undefined) =>
  value === undefined ? '-' : Math.round(value).toLocaleString('en');
const megabytes = (bytes: number | undefined) => (bytes === undefined ? '-' : (bytes / 1e6).toFixed(0));
const percent = (part: number) => `${(part * 100).toFixed(0)} %`;
