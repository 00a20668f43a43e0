import { readLines } from '../../client/sdk/event-stream.ts';
import type { ArchiveLine } from '../../contract/archive-line.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import type { Books, Site } from './load.ts';

/** Compares what was acknowledged with what a workspace's export holds afterwards. */

export type Verdict = {
  readonly lost: readonly string[];
  readonly miscounted: readonly string[];
  /** Counted turns whose end no reader has seen; they are complete. */
  readonly unread: number;
};

type Stored = {
  readonly turns: Map<string, Extract<ArchiveLine, { type: 'turn' }>>;
  readonly consents: Set<string>;
  readonly edits: Map<string, string>;
  /** How often each turn was counted, by message id. */
  readonly counts: Map<string, number>;
};

export async function judge(baseUrl: string, sites: readonly Site[], books: Books): Promise<Verdict> {
  const stored: Stored = { turns: new Map(), consents: new Set(), edits: new Map(), counts: new Map() };
  for (const site of sites) await readExport(baseUrl, site, stored);
  const lost: string[] = [];
  for (const [id, { text, frames }] of books.answers) {
    const turn = stored.turns.get(id);
    if (turn?.state !== 'complete' || turn.answer !== text) lost.push(`answer ${id} (${turn?.state})`);
    else if (!isSameAttempt(turn.frames, frames)) lost.push(`frames of ${id}`);
  }
  for (const version of books.consents) if (!stored.consents.has(version)) lost.push(`consent ${version}`);
  for (const [at, title] of books.edits) if (stored.edits.get(at) !== title) lost.push(`edit ${at}`);
  const miscounted = [
    ...[...books.answers.keys()].filter((id) => stored.counts.get(id) !== 1),
    ...[...stored.counts].filter(([id, times]) => times !== 1 && !books.answers.has(id)).map(([id]) => id),
  ];
  const unread = [...stored.counts.keys()].filter((id) => !books.answers.has(id)).length;
  return { lost, miscounted, unread };
}

/** What a killed node had sent and not stored is retracted by the next attempt, and is not compared. */
function isSameAttempt(stored: readonly string[], received: readonly string[]): boolean {
  const isRetry = (frame: string) => (JSON.parse(frame) as ChatEvent).type === 'text_replace';
  const from = Math.max(0, received.findLastIndex(isRetry));
  return (
    stored.length === received.length &&
    received.slice(from).every((frame, at) => frame === stored[from + at])
  );
}

async function readExport(baseUrl: string, { tenantId, owner }: Site, stored: Stored): Promise<void> {
  const response = await fetch(`${baseUrl}/api/tenants/${tenantId}/export`, { headers: owner });
  if (!response.ok) throw new Error(`export: ${response.status} ${await response.text()}`);
  let last: ArchiveLine | undefined;
  for await (const lines of readLines(response.body!, {}))
    for (const text of lines) {
      last = JSON.parse(text) as ArchiveLine;
      store(last, stored);
    }
  if (last?.type !== 'end') throw new Error('the export was cut off');
}

function store(line: ArchiveLine, { turns, consents, edits, counts }: Stored): void {
  if (line.type === 'turn') turns.set(line.messageId, line);
  if (line.type === 'consent_record') consents.add(JSON.parse(line.content).copyVersion);
  if (line.type === 'article_revision') edits.set(`${line.articleId} ${line.revision}`, line.title);
  if (line.type === 'event' && line.kind === 'turn') {
    const id = JSON.parse(line.data).message_id;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
}
