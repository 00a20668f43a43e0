import * as operations from '../../generated/routes.ts';
import type { TenantConnection } from './connection.ts';
import type { CallOptions } from './http.ts';
import { bindMethods } from './methods.ts';
import type { SourceConflictChoice, SourceItemFilters, SourceRun } from './types.ts';

/**
 * Where articles come from: websites, uploaded files and other services. Rejects with `source/not_found` or `source/run_not_found`, and with
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

function openRecords(bound: TenantConnection) {
  const { readById, write, writeById, pages, removeById } = bindMethods(bound);
  return {
    /** Newest first, each with its newest run. */
    list: pages(operations.listSources),
    read: readById(operations.readSource, 'sourceId'),
    /** Nothing is read before the first run, which a schedule starts within a minute. */
    create: write(operations.createSource),
    /** Replaces all settings. A running run keeps the earlier ones. */
    change: writeById(operations.changeSource, 'sourceId'),
    /** Deletes a source. Its articles stay, as if they were written here. */
    delete: removeById(operations.deleteSource, 'sourceId'),
    /**
     * Uploads a file or a zip of files, and returns what was found in it. The documents wait for the next run.
     * Uploading the same name again replaces the file. With `packed`, a zip only carries loose files and folders.
     */
    upload: (
      sourceId: string,
      file: Blob,
      name: string,
      { packed, ...options }: CallOptions & { packed?: 'whole' | 'more' } = {},
    ) => {
      const body = new FormData();
      body.append('file', file);
      return bound.call(operations.uploadSourceFile, {
        params: { sourceId },
        query: { name, packed },
        body,
        deadlineSeconds: UPLOAD_SECONDS,
        ...options,
      });
    },
  };
}

function openRuns(bound: TenantConnection) {
  const { call, list } = bound;
  const readRun = (sourceId: string, runId: string, options?: CallOptions) =>
    call(operations.readSourceRun, { params: { sourceId, runId }, ...options });
  return {
    /** Reads the source and applies what has changed, in the background; with `preview`, it stops before as `ready`. */
    run: (sourceId: string, { preview, ...options }: CallOptions & { preview?: boolean } = {}) =>
      call(operations.startSourceRun, { params: { sourceId }, body: { preview }, ...options }),
    /** The newest runs, newest first. */
    runs: bindMethods(bound).pagesOf(operations.listSourceRuns, 'sourceId'),
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
      call(operations.applySourceRun, { params: { sourceId, runId }, idempotent: false, ...options }),
    /** Cancels a run. Changes that it has applied stay; uploads that waited for it are discarded. */
    cancel: (sourceId: string, runId: string, options?: CallOptions) =>
      call(operations.cancelSourceRun, { params: { sourceId, runId }, idempotent: false, ...options }),
    /** Why places were left out, and how many for each reason. */
    refusals: (sourceId: string, runId: string, options?: CallOptions) =>
      call(operations.listSourceRunReasons, { params: { sourceId, runId }, ...options }),
    /** The text at a place of the log, before the run and as it delivers it. Rejects with `source/text_not_found`. */
    text: (sourceId: string, runId: string, place: string, options?: CallOptions) =>
      call(operations.readSourceRunText, { params: { sourceId, runId }, query: { place }, ...options }),
    /** The log of a run, by place: what was added, changed, removed, refused and why. */
    items: (sourceId: string, runId: string, { signal, ...query }: SourceItemFilters = {}) =>
      list(operations.listSourceRunItems, { params: { sourceId, runId }, query, signal }),
  };
}

function openConflicts(bound: TenantConnection) {
  return {
    /** Texts that were changed both here and at the source, with both texts. */
    conflicts: bindMethods(bound).pagesOf(operations.listSourceConflicts, 'sourceId'),
    /** Keeps the workspace's texts, or replaces them by those of the source. Returns how many conflicts were resolved. */
    resolve: async (
      sourceId: string,
      places: readonly string[],
      choice: SourceConflictChoice,
      options?: CallOptions,
    ): Promise<number> => {
      const body = { places: [...places], choice };
      return (await bound.call(operations.resolveSourceConflicts, { params: { sourceId }, body, ...options }))
        .resolved;
    },
  };
}
