import type { exporting } from '../../contract/export.ts';
import { conversationColumns, transcriptColumns } from '../../contract/export-conversations.ts';
import { eventColumns } from '../../contract/export-events.ts';
import { createPace } from '../analytics/fair-scheduler.ts';
import { readAnalytics } from '../analytics/read-analytics.ts';
import type { Clock } from '../clock.ts';
import type { HandlerInput, Handlers, LinesReply } from '../http/handler.ts';
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
type AskedRows = Pick<HandlerInput<typeof exporting.streamEvents>, 'query' | 'caller' | 'exchange'>;
type AskedPage = AskedRows & Pick<HandlerInput<typeof exporting.exportEvents>, 'query'>;

/** What a workspace takes out by API key; nothing here changes anything. */
export function exportHandlers({ store, clock, cursorSecret }: Deps): Handlers<typeof exporting> {
  const pace = createPace();
  const { cursorFor, placeOf } = createCursors(cursorSecret);
  const circumstancesOf = ({ caller, exchange }: AskedRows) => ({
    pace,
    signal: exchange.signal,
    stands: async () => (await store.workspaces.find(caller.workspace.id)) !== undefined,
  });

  async function page<Row, Wire extends object>(
    kind: Kind,
    asked: AskedPage,
    sourceOf: (workspace: ReturnType<Store['in']>, wanted: EventFilter) => Source<Row, Wire>,
  ) {
    const { limit, cursor } = asked.query;
    const { id } = asked.caller.workspace;
    const wanted = wantedOf(asked.query);
    const { within, type, visitorId, conversationId, locale } = wanted;
    const filters = [within?.fromMillis, within?.beforeMillis, type, visitorId, conversationId, locale];
    const bound = [id, kind, ...filters];
    const after = cursor === undefined ? undefined : placeOf(cursor, bound);
    const source = sourceOf(store.in(id), wanted);
    const { data, last, hasMore } = await readPage(source, limit, after, circumstancesOf(asked));
    const body = { data, next_cursor: last ? cursorFor(last, bound) : null, has_more: hasMore };
    return { status: 200 as const, body };
  }

  async function stream<Row, Wire extends object>(
    kind: Kind,
    asked: AskedRows,
    sourceOf: (workspace: ReturnType<Store['in']>, wanted: EventFilter) => Source<Row, Wire>,
  ): Promise<LinesReply> {
    const source = sourceOf(store.in(asked.caller.workspace.id), wantedOf(asked.query));
    const lines = await begun(jsonLines(source, circumstancesOf(asked)));
    return { status: 200, lines, fileName: `guidepost-${kind}.ndjson` };
  }

  async function table<Row, Wire extends object>(
    kind: Kind,
    asked: AskedRows,
    sourceOf: (workspace: ReturnType<Store['in']>, wanted: EventFilter) => Source<Row, Wire>,
    columns: Parameters<typeof csvLines>[1],
  ): Promise<LinesReply> {
    const source = sourceOf(store.in(asked.caller.workspace.id), wantedOf(asked.query));
    const lines = await begun(csvLines(source, columns, circumstancesOf(asked)));
    return { status: 200, lines, fileName: `guidepost-${kind}.csv`, isCsv: true };
  }

  return {
    async exportAnalytics({ query, caller, exchange }) {
      const workspace = store.in(caller.workspace.id);
      const deps = { workspace, pace, nowMillis: clock.now(), signal: exchange.signal };
      return { status: 200, body: await readAnalytics({ ...query, ...momentsOf(query) }, deps) };
    },
    exportEvents: (asked) => page('events', asked, eventsOf),
    streamEvents: (asked) => stream('events', asked, eventsOf),
    tabulateEvents: (asked) => table('events', asked, eventsOf, eventColumns),
    exportConversations: (asked) => page('conversations', asked, conversationsOf),
    streamConversations: (asked) => stream('conversations', asked, conversationsOf),
    tabulateConversations: (asked) => table('conversations', asked, conversationsOf, conversationColumns),
    exportTranscripts: (asked) => page('transcripts', asked, transcriptsOf),
    streamTranscripts: (asked) => stream('transcripts', asked, transcriptsOf),
    tabulateTranscripts: (asked) => table('transcripts', asked, transcriptsOf, transcriptColumns),
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
