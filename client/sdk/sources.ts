import {
  applySourceRun,
  cancelSourceRun,
  changeSource,
  createSource,
  deleteSource,
  listSourceConflicts,
  listSourceRunItems,
  listSourceRuns,
  listSources,
  readSource,
  readSourceRun,
  resolveSourceConflicts,
  startSourceRun,
  uploadSourceFile,
} from '../../generated/routes.ts';
import type { TenantConnection } from './connection.ts';
import type { CallOptions } from './http.ts';
import type {
  ListOptions,
  NewSource,
  SourceChange,
  SourceConflictChoice,
  SourceItemFilters,
  SourceRun,
} from './types.ts';

/**
 * Where articles come from: websites and uploaded files. Rejects with `source/not_found` or `source/run_not_found`, and with
 * `source/busy` while another run of the source is under way.
 */
export type Sources = ReturnType<typeof openSources>;

const UPLOAD_SECONDS = 300;
const POLL_MILLIS = 1000;
/** States that only a person can change, and final ones. */
const SETTLED_STATES: readonly SourceRun['state'][] = ['ready', 'done', 'failed', 'cancelled'];

export function openSources(connection: TenantConnection) {
  return { ...openRecords(connection), ...openRuns(connection), ...openConflicts(connection) };
}

function openRecords({ call, send, list }: TenantConnection) {
  return {
    /** Newest first, each with its newest run. */
    list: ({ signal, limit }: ListOptions = {}) => list(listSources, { query: { limit }, signal }),
    read: (sourceId: string, options?: CallOptions) => call(readSource, { params: { sourceId }, ...options }),
    /** Nothing is read before the first run, which a schedule starts within a minute. */
    create: (source: NewSource, options?: CallOptions) => call(createSource, { body: source, ...options }),
    /** Replaces all settings. A running run keeps the earlier ones. */
    change: (sourceId: string, change: SourceChange, options?: CallOptions) =>
      call(changeSource, { params: { sourceId }, body: change, ...options }),
    /** Deletes a source. Its articles stay, as if they were written here. */
    delete: (sourceId: string, options?: CallOptions) =>
      send(deleteSource, { params: { sourceId }, ...options }),
    /**
     * Uploads a file or a zip of files, and returns what was found in it. The documents wait for the next run.
     * Uploading the same name again replaces the file.
     */
    upload: (sourceId: string, file: Blob, name: string, options?: CallOptions) => {
      const body = new FormData();
      body.append('file', file);
      const params = { sourceId };
      return call(uploadSourceFile, {
        params,
        query: { name },
        body,
        deadlineSeconds: UPLOAD_SECONDS,
        ...options,
      });
    },
  };
}

function openRuns({ call, list }: TenantConnection) {
  const readRun = (sourceId: string, runId: string, options?: CallOptions) =>
    call(readSourceRun, { params: { sourceId, runId }, ...options });
  return {
    /** Reads the source and applies what has changed, in the background; with `preview`, it stops before as `ready`. */
    run: (sourceId: string, { preview, ...options }: CallOptions & { preview?: boolean } = {}) =>
      call(startSourceRun, { params: { sourceId }, body: { preview }, ...options }),
    /** The newest runs, newest first. */
    runs: (sourceId: string, { signal, limit }: ListOptions = {}) =>
      list(listSourceRuns, { params: { sourceId }, query: { limit }, signal }),
    readRun,
    /** Polls once a second until the run is `ready`, `done`, `failed` or `cancelled`. */
    wait: async (sourceId: string, runId: string, options: CallOptions = {}): Promise<SourceRun> => {
      for (;;) {
        const run = await readRun(sourceId, runId, options);
        if (SETTLED_STATES.includes(run.state)) return run;
        await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS));
        options.signal?.throwIfAborted();
      }
    },
    /** Applies a previewed run, in the background. */
    apply: (sourceId: string, runId: string, options?: CallOptions) =>
      call(applySourceRun, { params: { sourceId, runId }, idempotent: false, ...options }),
    /** Cancels a run. Changes that it has applied stay; uploads that waited for it are discarded. */
    cancel: (sourceId: string, runId: string, options?: CallOptions) =>
      call(cancelSourceRun, { params: { sourceId, runId }, idempotent: false, ...options }),
    /** The log of a run, by place: what was added, changed, removed, refused and why. */
    items: (sourceId: string, runId: string, { signal, ...query }: SourceItemFilters = {}) =>
      list(listSourceRunItems, { params: { sourceId, runId }, query, signal }),
  };
}

function openConflicts({ call, list }: TenantConnection) {
  return {
    /** Texts that were changed both here and at the source, with both texts. */
    conflicts: (sourceId: string, { signal, limit }: ListOptions = {}) =>
      list(listSourceConflicts, { params: { sourceId }, query: { limit }, signal }),
    /** Keeps the workspace's texts, or replaces them by those of the source. Returns how many conflicts were resolved. */
    resolve: async (
      sourceId: string,
      places: readonly string[],
      choice: SourceConflictChoice,
      options?: CallOptions,
    ): Promise<number> => {
      const body = { places: [...places], choice };
      return (await call(resolveSourceConflicts, { params: { sourceId }, body, ...options })).resolved;
    },
  };
}
