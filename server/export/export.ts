import type { exporting } from '../../contract/export.ts';
import { conversationColumns, transcriptColumns } from '../../contract/export-conversations.ts';
import { eventColumns } from '../../contract/export-events.ts';
import { createPace } from '../analytics/fair-scheduler.ts';
import { readAnalytics } from '../analytics/read-analytics.ts';
import type { Clock } from '../clock.ts';
import type { HandlerInput, Handlers, LinesResponse } from '../http/handler.ts';
import type { EventFilter } from '../storage/events.ts';
import type { Store } from '../storage/store.ts';
import { createCursors } from './cursor.ts';
import { momentsOf, spanOf } from './range.ts';
import { begun, csvLines, jsonLines, readPage, type Source } from './reading.ts';
import { conversationsOf, eventsOf, transcriptsOf } from './sources.ts';

type Deps = {
  readonly store: Store;
  readonly clock: Clock;
  /** What cursors are sealed with; the same after a restart. */
  readonly cursorSecret: string;
};

type Kind = 'events' | 'conversations' | 'transcripts';
type AskedRows = Pick<HandlerInput<typeof exporting.streamEvents>, 'query' | 'caller' | 'ctx'>;
type AskedPage = AskedRows & Pick<HandlerInput<typeof exporting.exportEvents>, 'query'>;

/** What a workspace takes out by API key; nothing here changes anything. */
export function exportHandlers({ store, clock, cursorSecret }: Deps): Handlers<typeof exporting> {
  const pace = createPace();
  const { cursorFor, placeOf } = createCursors(cursorSecret);
  const circumstancesOf = ({ caller, ctx }: AskedRows) => ({
    pace,
    signal: ctx.signal,
    stands: async () => (await store.workspaces.find(caller.workspace.id)) !== undefined,
  });

  async function page<Row, Wire extends object>(
    kind: Kind,
    input: AskedPage,
    sourceOf: (workspace: ReturnType<Store['in']>, wanted: EventFilter) => Source<Row, Wire>,
  ) {
    const { limit, cursor } = input.query;
    const { id } = input.caller.workspace;
    const wanted = wantedOf(input.query);
    const { within, type, visitorId, conversationId, locale } = wanted;
    const filters = [within?.fromMillis, within?.beforeMillis, type, visitorId, conversationId, locale];
    const bound = [id, kind, ...filters];
    const after = cursor === undefined ? undefined : placeOf(cursor, bound);
    const source = sourceOf(store.in(id), wanted);
    const { data, last, hasMore } = await readPage(source, limit, after, circumstancesOf(input));
    const body = { data, next_cursor: last ? cursorFor(last, bound) : null, has_more: hasMore };
    return { status: 200 as const, body };
  }

  async function stream<Row, Wire extends object>(
    kind: Kind,
    input: AskedRows,
    sourceOf: (workspace: ReturnType<Store['in']>, wanted: EventFilter) => Source<Row, Wire>,
  ): Promise<LinesResponse> {
    const source = sourceOf(store.in(input.caller.workspace.id), wantedOf(input.query));
    const lines = await begun(jsonLines(source, circumstancesOf(input)));
    return { status: 200, lines, fileName: `guidepost-${kind}.ndjson` };
  }

  async function table<Row, Wire extends object>(
    kind: Kind,
    input: AskedRows,
    sourceOf: (workspace: ReturnType<Store['in']>, wanted: EventFilter) => Source<Row, Wire>,
    columns: Parameters<typeof csvLines>[1],
  ): Promise<LinesResponse> {
    const source = sourceOf(store.in(input.caller.workspace.id), wantedOf(input.query));
    const lines = await begun(csvLines(source, columns, circumstancesOf(input)));
    return { status: 200, lines, fileName: `guidepost-${kind}.csv`, isCsv: true };
  }

  return {
    async exportAnalytics({ query, caller, ctx }) {
      const workspace = store.in(caller.workspace.id);
      const deps = { workspace, pace, nowMillis: clock.now(), signal: ctx.signal };
      return { status: 200, body: await readAnalytics({ ...query, ...momentsOf(query) }, deps) };
    },
    exportEvents: (input) => page('events', input, eventsOf),
    streamEvents: (input) => stream('events', input, eventsOf),
    tabulateEvents: (input) => table('events', input, eventsOf, eventColumns),
    exportConversations: (input) => page('conversations', input, conversationsOf),
    streamConversations: (input) => stream('conversations', input, conversationsOf),
    tabulateConversations: (input) => table('conversations', input, conversationsOf, conversationColumns),
    exportTranscripts: (input) => page('transcripts', input, transcriptsOf),
    streamTranscripts: (input) => stream('transcripts', input, transcriptsOf),
    tabulateTranscripts: (input) => table('transcripts', input, transcriptsOf, transcriptColumns),
  };
}

/** Only what was asked for; languages are the same in any case. */
function wantedOf(query: AskedRows['query']): EventFilter {
  const within = spanOf(query);
  const { type, visitor_id: visitorId, conversation_id: conversationId } = query;
  const locale = query.locale?.toLowerCase();
  return {
    ...(within ? { within } : {}),
    ...(type ? { type } : {}),
    ...(visitorId ? { visitorId } : {}),
    ...(conversationId ? { conversationId } : {}),
    ...(locale ? { locale } : {}),
  };
}
