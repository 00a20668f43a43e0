import type { SkipReason } from '../../contract/source-fields.ts';
import type { sourceRuns } from '../../contract/source-runs.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import { toPage, toPlace } from './pages.ts';
import { toItemRecord, toRunRecord } from './records.ts';
import { readRunText } from './run-texts.ts';

/** What runs did, and what they would do. */

type RunLog =
  | 'listSourceRuns'
  | 'readSourceRun'
  | 'listSourceRunItems'
  | 'listSourceRunReasons'
  | 'readSourceRunText';

export function runLogHandlers(deps: {
  store: Pick<Store, 'in'>;
}): Pick<Handlers<typeof sourceRuns>, RunLog> {
  const open = async (workspaceId: string, sourceId: string, runId: string) => {
    const store = deps.store.in(workspaceId);
    const run = await store.sources.findRun(sourceId, runId);
    return { store, run: run ?? throwApiError('source/run_not_found') };
  };
  return {
    async listSourceRuns({ caller, params: { sourceId }, query }) {
      const { sources } = deps.store.in(caller.workspace.id);
      if (!(await sources.find(sourceId))) throwApiError('source/not_found');
      const { data, ...page } = paginate(await sources.listRuns(sourceId), query, 'newest_first');
      return { status: 200, body: { data: data.map(toRunRecord), ...page } };
    },

    async readSourceRun({ caller, params: { sourceId, runId } }) {
      const { run } = await open(caller.workspace.id, sourceId, runId);
      return { status: 200, body: toRunRecord(run) };
    },

    async listSourceRunItems({ caller, params: { sourceId, runId }, query: { limit, cursor, ...filters } }) {
      const { store } = await open(caller.workspace.id, sourceId, runId);
      const rows = await store.sources.listItems(runId, limit + 1, {
        afterPlace: toPlace(cursor),
        ...filters,
      });
      return { status: 200, body: toPage(rows, limit, toItemRecord) };
    },

    async listSourceRunReasons({ caller, params: { sourceId, runId } }) {
      const { store } = await open(caller.workspace.id, sourceId, runId);
      const rows = await store.sources.countReasons(runId);
      const data = rows.map(({ reason, rows: count }) => ({ reason: reason as SkipReason, count }));
      return { status: 200, body: { data } };
    },

    async readSourceRunText({ caller, params: { sourceId, runId }, query: { place } }) {
      const { store, run } = await open(caller.workspace.id, sourceId, runId);
      return {
        status: 200,
        body: (await readRunText(run, place, store)) ?? throwApiError('source/text_not_found'),
      };
    },
  };
}
