import { setImmediate as nextTick } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { getBytesMax } from '../holdings/storage-meter.ts';
import { getMonthlyTokensMax } from '../holdings/token-budget.ts';
import { getCalendarMonth } from '../month.ts';
import type { Store } from '../storage/store.ts';
import { RETENTION_DEFAULTS, type Workspace } from '../storage/workspaces.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, print, type Terminal } from './terminal.ts';

type UsageOptions = { readonly json?: boolean; readonly workspace?: string };

export function addWorkspaceUsage(workspace: Command, terminal: Terminal): void {
  addCommand(workspace, 'usage', 'Show what workspaces store and have used this month.')
    .option('--workspace <id>', 'workspace id or app id (default: all workspaces)')
    .action((options: UsageOptions) => showUsage(terminal, options));
}

async function showUsage(terminal: Terminal, options: UsageOptions): Promise<void> {
  await withStore(terminal, async (store, config) => {
    const all = await store.workspaces.list();
    const chosen = options.workspace === undefined ? all : [await getWorkspace(store, options.workspace)];
    const usedBytes = await store.usedBytes();
    const databaseBytesMax = config.database.bytesMax;
    const bytesMax = getBytesMax({ ...config, databaseBytesMax }, usedBytes, all.length);
    const workspaces = [];
    for (const workspace of chosen) {
      workspaces.push(await summarize(store, workspace, bytesMax, config, terminal.clock.now()));
    }
    const database = { used_bytes: usedBytes, bytes_max: databaseBytesMax };
    const text = [
      `Database: ${formatShare(usedBytes, databaseBytesMax)}`,
      ...workspaces.map(formatUsage),
    ].join('\n\n');
    print(terminal, options, { database, workspaces }, text);
  });
}

async function summarize(
  store: Store,
  { id, name, settings }: Workspace,
  bytesMax: number,
  config: Config,
  nowMillis: number,
) {
  const { holdings, tokenMonths, voiceReservations } = store.in(id);
  const { period } = getCalendarMonth(nowMillis, settings.voice.timeZone);
  const [held, tokens, voice] = await Promise.all([
    holdings.measure(nextTick),
    tokenMonths.used(period),
    voiceReservations.inMonth(period),
  ]);
  const { conversationDays, eventDays } = settings.retention ?? RETENTION_DEFAULTS;
  const tokensMax = getMonthlyTokensMax(settings, config.llm?.monthlyTokensMax);
  return {
    tenant_id: id,
    name,
    used_bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
    bytes_max: bytesMax,
    holdings: held.map(({ kind, rows, bytes, oldestAtMillis }) => ({
      kind,
      rows,
      bytes,
      ...(oldestAtMillis === undefined ? {} : { oldest_at: new Date(oldestAtMillis).toISOString() }),
    })),
    retention: { conversation_days: conversationDays, event_days: eventDays },
    month: {
      period,
      tokens,
      ...(tokensMax === undefined ? {} : { tokens_max: tokensMax }),
      voice_seconds: voice.countedSeconds,
      voice_seconds_max: settings.voice.monthlySecondsMax,
    },
  };
}

type Usage = Awaited<ReturnType<typeof summarize>>;

function formatUsage({ tenant_id, name, used_bytes, bytes_max, holdings, retention, month }: Usage): string {
  const tokensMax = month.tokens_max === undefined ? '' : ` of ${month.tokens_max}`;
  return [
    `${name} (${tenant_id}): ${formatShare(used_bytes, bytes_max)}`,
    ...holdings.map(
      ({ kind, rows, bytes, oldest_at }) =>
        `  ${kind.padEnd(14)}${formatMegabytes(bytes).padStart(12)}${String(rows).padStart(12)} rows${oldest_at ? `  since ${oldest_at.slice(0, 10)}` : ''}`,
    ),
    `  kept for ${retention.conversation_days} days (conversations), ${retention.event_days} days (events)`,
    `  ${month.period}: ${month.tokens}${tokensMax} tokens, ${month.voice_seconds} of ${month.voice_seconds_max} seconds of voice`,
  ].join('\n');
}

const formatMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

const formatShare = (used: number, max: number) =>
  `${formatMegabytes(used)} of ${formatMegabytes(max)} (${Math.round((used / max) * 100)} %)`;
