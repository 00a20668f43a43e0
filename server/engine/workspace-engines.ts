import { isDeepStrictEqual } from 'node:util';
import type { LlmSettings } from '../settings/model.ts';
import type { Engine, EngineEvent, WorkspaceEngine, WorkspaceEngines } from './engine.ts';

/**
 * Picks the engine of each workspace: that of its own language model, or the installation's. Each model of a workspace has clients
 * and a circuit breaker of its own, so that its failures concern no other workspace.
 */

/** How to reach the model of a workspace, or why it cannot be used; undefined if it has none of its own. */
export type OwnModel = LlmSettings | 'key_unreadable' | 'address_not_allowed' | undefined;

type Opened = { engine: Engine; close(): void };
type Entry = Opened & { settings: LlmSettings; running: number; retiredAt: number };

/** Idle clients are cheap: an object each, and connections that close after half a minute. */
const ENGINES_MAX = 200;
/** A turn that has just got its engine begins its answer within this time. */
const RETIREMENT_MILLIS = 120_000;

export function createWorkspaceEngines({
  installation,
  quoting,
  readModel,
  open,
  now,
}: {
  installation: Engine;
  /** Answers where a model cannot be used: its owner did not choose the installation's. */
  quoting: Engine;
  /** Called for every turn; cached by the caller. */
  readModel: (workspaceId: string) => Promise<OwnModel>;
  open: (settings: LlmSettings, workspaceId: string) => Promise<Opened>;
  now: () => number;
}): WorkspaceEngines & { close(): void } {
  const shared: WorkspaceEngine = { engine: installation, isOwn: false };
  /** The least recently used first. */
  const entries = new Map<string, Entry>();
  const retired = new Set<Entry>();

  function retire(workspaceId: string, entry: Entry): void {
    entries.delete(workspaceId);
    entry.retiredAt = now();
    retired.add(entry);
  }

  function closeRetired(): void {
    for (const entry of retired) {
      if (entry.running > 0 || now() - entry.retiredAt < RETIREMENT_MILLIS) continue;
      retired.delete(entry);
      entry.close();
    }
  }

  async function openEntry(workspaceId: string, settings: LlmSettings): Promise<Entry> {
    const opened = await open(settings, workspaceId);
    const entry: Entry = { ...opened, settings, running: 0, retiredAt: 0 };
    entry.engine = countRunning(opened.engine, entry);
    // Another turn may have opened it meanwhile.
    const other = entries.get(workspaceId);
    if (other && isDeepStrictEqual(other.settings, settings)) {
      opened.close();
      return other;
    }
    if (other) retire(workspaceId, other);
    const [oldest] = entries;
    if (oldest && entries.size >= ENGINES_MAX) retire(...oldest);
    return entry;
  }

  return {
    async get(workspaceId) {
      if (retired.size > 0) closeRetired();
      const settings = await readModel(workspaceId);
      const known = entries.get(workspaceId);
      if (settings === undefined || typeof settings === 'string') {
        if (known) retire(workspaceId, known);
        return settings ? { engine: quoting, isOwn: true } : shared;
      }
      const isCurrent = known && isDeepStrictEqual(known.settings, settings);
      const entry = isCurrent ? known : await openEntry(workspaceId, settings);
      entries.delete(workspaceId);
      entries.set(workspaceId, entry);
      return { engine: entry.engine, isOwn: true };
    },
    close() {
      for (const entry of [...entries.values(), ...retired]) entry.close();
    },
  };
}

/** Counts the answers that an engine has begun. */
function countRunning(engine: Engine, entry: { running: number }): Engine {
  return {
    ...engine,
    async *answer(question, signal): AsyncGenerator<EngineEvent> {
      entry.running += 1;
      try {
        yield* engine.answer(question, signal);
      } finally {
        entry.running -= 1;
      }
    },
  };
}
