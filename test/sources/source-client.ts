import { expect } from 'vitest';
import type { SourceConflictRecord } from '../../contract/source-conflicts.ts';
import type {
  SourceReasonCountsRecord,
  SourceRunItemRecord,
  SourceRunRecord,
  SourceRunTextRecord,
} from '../../contract/source-runs.ts';
import type { SourceRecord, SourceUploadRecord } from '../../contract/sources.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { joinAs, type MemberClient } from '../support/team.ts';

/** A source of files, and the member who uses it, by default an admin. */

export type SourceClient = Awaited<ReturnType<typeof openSource>>;

const base = '/knowledge/sources';

export async function openSource(
  mode: 'review' | 'publish',
  options: { harness?: Harness; member?: MemberClient; settings?: Record<string, unknown> } = {},
) {
  const harness = options.harness ?? (await openHarness({ articles: [] }));
  const member = options.member ?? (await joinAs(harness, harness.workspace, 'admin'));
  const call = async <T>(answer: Promise<{ status: number; json: unknown; text: string }>): Promise<T> => {
    const { status, json, text } = await answer;
    expect(status, text).toBeLessThan(300);
    return json as T;
  };
  const { id } = await call<SourceRecord>(
    member.post(base, { name: 'Manual', type: 'files', mode, ...options.settings }),
  );
  const path = `${base}/${id}`;
  const upload = (name: string, text: string | Uint8Array<ArrayBuffer>, packed?: 'whole' | 'more') => {
    const form = new FormData();
    form.append('file', new Blob([text]));
    return call<SourceUploadRecord>(
      member.upload(
        `${path}/files?name=${encodeURIComponent(name)}${packed ? `&packed=${packed}` : ''}`,
        form,
      ),
    );
  };
  const start = (preview = false) => call<SourceRunRecord>(member.post(`${path}/runs`, { preview }));
  const readRun = (runId: string) => call<SourceRunRecord>(member.get(`${path}/runs/${runId}`));
  /** Ticks until the run has ended or is ready to apply. */
  const finish = async (runId: string) => {
    for (;;) {
      await harness.service.tick();
      const run = await readRun(runId);
      if (['ready', 'done', 'failed', 'cancelled'].includes(run.state)) return run;
    }
  };
  return {
    ...{ harness, member, id, path, call, upload, start, finish, readRun },
    read: () => call<SourceRecord>(member.get(path)),
    run: async (preview = false) => finish((await start(preview)).id),
    apply: async (runId: string) => {
      await call(member.post(`${path}/runs/${runId}/apply`));
      return finish(runId);
    },
    reasons: async (runId: string) =>
      (await call<SourceReasonCountsRecord>(member.get(`${path}/runs/${runId}/refusals`))).data,
    text: (runId: string, place: string) =>
      call<SourceRunTextRecord>(member.get(`${path}/runs/${runId}/text?place=${encodeURIComponent(place)}`)),
    items: async (runId: string) =>
      (await call<{ data: SourceRunItemRecord[] }>(member.get(`${path}/runs/${runId}/items?limit=200`))).data,
    conflicts: async () =>
      (await call<{ data: SourceConflictRecord[] }>(member.get(`${path}/conflicts`))).data,
    resolve: async (places: readonly string[], choice: 'keep' | 'replace') =>
      (await call<{ resolved: number }>(member.post(`${path}/conflicts/resolve`, { places, choice })))
        .resolved,
  };
}
