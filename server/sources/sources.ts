import { randomBytes } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { sourceConflicts } from '../../contract/source-conflicts.ts';
import type { sourceRuns } from '../../contract/source-runs.ts';
import type { sources } from '../../contract/sources.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import { normalizeLine } from '../knowledge/article-content.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { SourceRun, SourceSettings, SourceSummary, SourceType } from '../storage/source-rows.ts';
import type { Sources } from '../storage/sources.ts';
import type { Store } from '../storage/store.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import type { StorageMeter } from '../workspaces/storage-meter.ts';
import { describeConflicts, resolveConflicts } from './conflicts.ts';
import type { readFile } from './files/read-file.ts';
import { toPage, toPlace } from './pages.ts';
import type { AddressCheck } from './public-addresses.ts';
import { toRunRecord, toSourceRecord, toUploadRecord } from './records.ts';
import { runLogHandlers } from './run-log.ts';
import { clearSnapshots, getNextRunAt, toRunAudit } from './runs.ts';
import { parseSettings, requirePublicAddresses, sealToken, throwInvalid } from './settings.ts';
import { storePacked, storeUpload } from './uploads.ts';

type SourcesDeps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  indexing: Indexing;
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
};
type SettingsDeps = SourcesDeps & {
  addressCheck: Pick<AddressCheck, 'find'>;
  secrets: Pick<SecretBox, 'seal'>;
};
type UploadDeps = SourcesDeps & { readFile: typeof readFile };

/** Enough bytes that the token cannot be guessed. */
const TOKEN_BYTES = 24;

export function sourceHandlers(deps: SettingsDeps & UploadDeps): Handlers<typeof sources> {
  return { ...settingsHandlers(deps), ...uploadHandlers(deps) };
}

export function sourceRunHandlers(deps: SourcesDeps): Handlers<typeof sourceRuns> {
  return { ...runLogHandlers(deps), ...runControlHandlers(deps) };
}

const getSources = ({ store }: SourcesDeps, { workspace }: MemberCaller): Sources =>
  store.in(workspace.id).sources;

const getSource = async (sources: Sources, sourceId: string): Promise<SourceSummary> =>
  (await sources.find(sourceId)) ?? throwApiError('source/not_found');

const getRun = async (sources: Sources, sourceId: string, runId: string): Promise<SourceRun> =>
  (await sources.findRun(sourceId, runId)) ?? throwApiError('source/run_not_found');

function toAudit(
  { clock }: SourcesDeps,
  { memberId: actor }: MemberCaller,
  event: string,
  subject: string,
  details: AuditEntry['details'] = {},
): AuditEntry {
  return { id: newId('aud'), atMillis: clock.now(), actor, action: `source.${event}`, subject, details };
}

function settingsHandlers(deps: SettingsDeps): Omit<Handlers<typeof sources>, 'uploadSourceFile'> {
  const { clock } = deps;
  const toRecord = (source: SourceSummary, { workspace }: MemberCaller) =>
    toSourceRecord(source, workspace.settings.allowedOrigins);
  return {
    async listSources({ caller, query }) {
      const { data, ...page } = paginate(await getSources(deps, caller).list(), query, 'newest_first');
      return { status: 200, body: { data: data.map((source) => toRecord(source, caller)), ...page } };
    },

    async createSource({ caller, body }) {
      const sourceStore = getSources(deps, caller);
      const { type } = body;
      const settings = parseSettings({ ...body, paused: false }, type);
      if (settings.mode === 'publish') requirePublishing(caller);
      await requirePublicAddresses(settings, deps.addressCheck);
      const id = newId('src');
      const sealedToken = await sealToken({ id, type }, body, deps.secrets);
      const by = { atMillis: clock.now(), memberId: caller.memberId };
      const source = toNewSource({ ...settings, sealedToken }, { id, type, ...by });
      const audit = toAudit(deps, caller, 'created', source.id, { name: source.name, type });
      const outcome = await sourceStore.create(source, SOURCE_LIMITS.sourcesMax, audit);
      if (outcome === 'too_many') throwApiError('source/too_many');
      return { status: 201, body: toRecord(await getSource(sourceStore, source.id), caller) };
    },

    async readSource({ caller, params: { sourceId } }) {
      const source = await getSource(getSources(deps, caller), sourceId);
      return { status: 200, body: toRecord(source, caller) };
    },

    async changeSource({ caller, params: { sourceId }, body }) {
      const sourceStore = getSources(deps, caller);
      const before = await getSource(sourceStore, sourceId);
      const settings = parseSettings({ ...body, paused: body.paused ?? false }, before.type);
      if (settings.mode === 'publish' && before.mode !== 'publish') requirePublishing(caller);
      if (
        JSON.stringify([settings.website, settings.zendesk]) !==
        JSON.stringify([before.website, before.zendesk])
      )
        await requirePublicAddresses(settings, deps.addressCheck);
      const sealedToken = await sealToken(before, body, deps.secrets);
      const nextRunAt =
        settings.schedule === before.schedule
          ? before.nextRunAt
          : getNextRunAt(settings.schedule, clock.now());
      const audit = toAudit(deps, caller, 'changed', sourceId, { name: settings.name });
      if ((await sourceStore.change(sourceId, { ...settings, sealedToken, nextRunAt }, audit)) === 'gone')
        throwApiError('source/not_found');
      return { status: 200, body: toRecord(await getSource(sourceStore, sourceId), caller) };
    },

    async deleteSource({ caller, params: { sourceId } }) {
      const sourceStore = getSources(deps, caller);
      const { name, lastRun } = await getSource(sourceStore, sourceId);
      if (lastRun && lastRun.finishedAt === undefined)
        await sourceStore.runs.finish(
          lastRun.id,
          { state: 'cancelled', atMillis: clock.now() },
          () => undefined,
        );
      const removeSome = () =>
        sourceStore.remove(sourceId, toAudit(deps, caller, 'deleted', sourceId, { name }));
      while ((await removeSome()) === 'more') await yieldToEventLoop();
      return { status: 200, body: { ok: true } };
    },
  };
}

const toNewSource = (
  settings: SourceSettings,
  { id, type, atMillis, memberId }: { id: string; type: SourceType; atMillis: number; memberId: string },
) => ({
  ...settings,
  ...{ id, type, createdAt: atMillis, createdBy: memberId },
  token: randomBytes(TOKEN_BYTES).toString('base64url'),
  // A new schedule runs at once.
  nextRunAt: settings.schedule === 'manual' ? undefined : atMillis,
});

/** Throws when an automation may not approve its own translations: a source that publishes skips their review. */
function requirePublishing({ automation }: MemberCaller): void {
  if (!automation) return;
  const { areas, mayApproveOwn } = automation;
  if (!mayApproveOwn || !areas.includes('translations') || !areas.includes('review'))
    throwApiError('source/publish_not_allowed');
}

function uploadHandlers(deps: UploadDeps): Pick<Handlers<typeof sources>, 'uploadSourceFile'> {
  return {
    async uploadSourceFile({ caller, params: { sourceId }, query, body, ctx }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const sourceStore = getSources(deps, caller);
      const { type, files, lastRun } = await getSource(sourceStore, sourceId);
      if (type !== 'files') throwApiError('source/wrong_type');
      if (lastRun && lastRun.finishedAt === undefined) throwApiError('source/busy');
      const name = normalizeLine(query.name);
      if (name === '') throwInvalid('query.name', 'blank', 'Expected the name of a file.');
      const { sourceLocale } = caller.workspace.settings;
      const nowMillis = deps.clock.now();
      const options = { sourceLocale, baseUrl: files?.baseUrl, nowMillis, signal: ctx.signal };
      const contents = await deps.readFile({ name, bytes: body.file }, options);
      const snapshots =
        query.packed === undefined
          ? await storeUpload(sourceId, name, contents, { sources: sourceStore })
          : await storePacked(sourceId, name, contents, {
              sources: sourceStore,
              isAdded: query.packed === 'more',
            });
      return { status: 201, body: toUploadRecord(name, snapshots) };
    },
  };
}

function runControlHandlers(
  deps: SourcesDeps,
): Pick<Handlers<typeof sourceRuns>, 'startSourceRun' | 'cancelSourceRun' | 'applySourceRun'> {
  const { clock } = deps;
  return {
    async startSourceRun({ caller, params: { sourceId }, body: { preview = false } }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const sourceStore = getSources(deps, caller);
      const id = newId('run');
      const start = { createdAt: clock.now(), createdBy: caller.memberId };
      const run = { id, sourceId, preview, scheduled: false, ...start };
      const outcome = await sourceStore.startRun(run, SOURCE_LIMITS.sourceRunsKept);
      if (outcome === 'gone') throwApiError('source/not_found');
      if (outcome !== 'started') throwApiError(`source/${outcome}`);
      return { status: 201, body: toRunRecord(await getRun(sourceStore, sourceId, id)) };
    },

    async cancelSourceRun({ caller, params: { sourceId, runId } }) {
      const sourceStore = getSources(deps, caller);
      const run = await getRun(sourceStore, sourceId, runId);
      const source = await getSource(sourceStore, sourceId);
      const atMillis = clock.now();
      const audit = { run, source, state: 'cancelled', atMillis, actor: caller.memberId };
      const ended = await sourceStore.runs.finish(runId, { state: 'cancelled', atMillis }, (counts) =>
        toRunAudit({ ...audit, counts }),
      );
      if (!ended) throwApiError('source/not_allowed', undefined, { currentStatus: run.state });
      await clearSnapshots(sourceStore.runs, runId);
      return { status: 200, body: toRunRecord(ended) };
    },

    async applySourceRun({ caller, params: { sourceId, runId } }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const sourceStore = getSources(deps, caller);
      const { state: currentStatus } = await getRun(sourceStore, sourceId, runId);
      if ((await sourceStore.runs.confirm(runId)) === 'stopped')
        throwApiError('source/not_allowed', undefined, { currentStatus });
      return { status: 200, body: toRunRecord(await getRun(sourceStore, sourceId, runId)) };
    },
  };
}

export function sourceConflictHandlers(deps: SourcesDeps): Handlers<typeof sourceConflicts> {
  return {
    async listSourceConflicts({ caller, params: { sourceId }, query: { limit, cursor } }) {
      const store = deps.store.in(caller.workspace.id);
      const source = await getSource(store.sources, sourceId);
      const rows = await store.sources.listConflicts(sourceId, limit + 1, toPlace(cursor));
      const { data, ...page } = toPage(rows, limit, (row) => row);
      return { status: 200, body: { data: await describeConflicts(data, source, store), ...page } };
    },

    async resolveSourceConflicts({ caller, params: { sourceId }, body: { places, choice } }) {
      deps.storageMeter.requireRoom(caller.workspace.id);
      const { indexing, clock } = deps;
      const store = deps.store.in(caller.workspace.id);
      const { mode, name, lastRun } = await getSource(store.sources, sourceId);
      if (lastRun && lastRun.finishedAt === undefined) throwApiError('source/busy');
      const conflicts = await store.sources.findConflicts(sourceId, [...new Set(places)]);
      const applyDeps = { store, sourceId, mode, indexing, clock, actor: caller.memberId };
      const documents = await resolveConflicts(conflicts, choice, applyDeps);
      const details = { name, choice, resolved: documents.length };
      if (documents.length > 0)
        await store.sources.resolve(
          sourceId,
          documents,
          toAudit(deps, caller, 'conflicts_resolved', sourceId, details),
        );
      return { status: 200, body: { resolved: documents.length } };
    },
  };
}
