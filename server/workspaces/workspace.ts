import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AuditPage, AuditQuery, workspace as router, Tenant } from '../../contract/workspace.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { canonicalJson } from '../base/hash-chain.ts';
import { newId } from '../base/ids.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import type { Audit, AuditEntry } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';
import {
  BRANDING_DEFAULTS,
  GUIDE_DEFAULTS,
  HANDOVER_DEFAULTS,
  HELP_CENTRE_DEFAULTS,
  RETENTION_DEFAULTS,
} from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { isFresh } from '../tokens/session-cookie.ts';
import { toAuditOrigin } from './audit-trail.ts';
import { diffSettings, parseSettingsChange } from './settings-change.ts';

type SettingsRoutes = Pick<typeof router, 'readTenant' | 'changeTenant' | 'listAudit'>;

type Deps = {
  store: Store;
  clock: Clock;
};

export function workspaceHandlers({ store, clock }: Deps): Handlers<SettingsRoutes> {
  return {
    readTenant: async ({ caller }) => ({ status: 200, body: toTenant(caller.workspace) }),

    async changeTenant({ caller, body, ctx }) {
      const { id } = caller.workspace;
      const atMillis = clock.now();
      if (body.requireSecondFactor !== undefined)
        assertMayRequireFactor(caller, body.requireSecondFactor, atMillis);
      const auditId = newId('aud');
      const after = await store.workspaces.change(
        id,
        parseSettingsChange(body),
        atMillis,
        (before, after) => {
          const details = diffSettings(before, after);
          const action = 'workspace.changed';
          const entry = { actor: caller.memberId, action, subject: id, ...toAuditOrigin(ctx) };
          return details && { ...entry, details, id: auditId, atMillis };
        },
      );
      if (!after) return throwApiError('tenant/not_found', 'deleted during the request');
      return { status: 200, body: toTenant(after) };
    },

    async listAudit({ caller, query }) {
      return { status: 200, body: await listAuditPage(store.in(caller.workspace.id).audit, query) };
    },
  };
}

/** Owners would lock themselves out by requiring a factor that they do not have. */
function assertMayRequireFactor(caller: MemberCaller, isRequired: boolean, now: number): void {
  if (caller.automation) throwApiError('session/area_required');
  if (caller.role !== 'owner') throwApiError('tenant/role_required');
  if (!isFresh(caller, now)) throwApiError('session/password_needed');
  if (isRequired && !caller.factor) throwApiError('session/second_factor_needed');
}

/** The settings that a workspace without its own has. */
const DEFAULTED = {
  consentStrictnessByRegion: [],
  pathRules: [],
  guide: GUIDE_DEFAULTS,
  branding: BRANDING_DEFAULTS,
  handover: HANDOVER_DEFAULTS,
  helpCentre: HELP_CENTRE_DEFAULTS,
  retention: RETENTION_DEFAULTS,
  requireSecondFactor: false,
};

function toTenant({ settings, createdAt, updatedAt, ...workspace }: Workspace): Tenant {
  const times = { createdAt: toIsoString(createdAt), updatedAt: toIsoString(updatedAt) };
  return { ...workspace, ...DEFAULTED, ...settings, ...times };
}

type AuditFilter = Omit<AuditQuery, 'limit' | 'cursor'>;

const BATCH_ROWS = 200;
/** A page examines at most this many rows; its cursor continues after them. */
const EXAMINED_ROWS_MAX = 10_000;

/** Lists rows newest first. The cursor is the id of the last row that was examined. */
async function listAuditPage(audit: Audit, { limit, cursor, ...filter }: AuditQuery): Promise<AuditPage> {
  const matches = createMatcher(filter);
  const batchSize = matches ? BATCH_ROWS : limit + 1;
  const data: AuditPage['data'] = [];
  let beforeId = cursor === undefined ? undefined : decodeCursor(cursor, /^[a-z0-9_]{1,64}$/)[0];
  for (let examined = 0; examined < EXAMINED_ROWS_MAX; examined += batchSize) {
    const rows = await audit.list(batchSize, beforeId);
    for (const row of rows) {
      if (!matches || matches(row)) {
        if (data.length === limit) return { data, nextCursor: encodeCursor(beforeId!) };
        data.push(toAuditBody(row));
      }
      beforeId = row.id;
    }
    if (rows.length < batchSize || isBefore(rows.at(-1), filter.from)) return { data };
    await yieldToEventLoop();
  }
  return { data, nextCursor: encodeCursor(beforeId!) };
}

/** Returns undefined when there is no filter. */
function createMatcher({
  actor,
  action,
  subject,
  from,
  to,
}: AuditFilter): ((row: AuditEntry) => boolean) | undefined {
  const tests: ((row: AuditEntry) => boolean)[] = [];
  if (actor !== undefined) tests.push((row) => row.actor === actor);
  if (subject !== undefined) tests.push((row) => row.subject === subject);
  if (action?.endsWith('.')) tests.push((row) => row.action.startsWith(action));
  else if (action !== undefined) tests.push((row) => row.action === action);
  if (from !== undefined) tests.push((row) => row.atMillis >= Date.parse(from));
  if (to !== undefined) tests.push((row) => row.atMillis < Date.parse(to));
  return tests.length === 0 ? undefined : (row) => tests.every((test) => test(row));
}

/** Tells whether older rows are all before `from`. Rows are in insertion order; a day allows for clocks that differ. */
function isBefore(row: AuditEntry | undefined, from: string | undefined): boolean {
  return row !== undefined && from !== undefined && row.atMillis < Date.parse(from) - DAY_MILLIS;
}

const DAY_MILLIS = 86_400_000;

function toAuditBody({
  id,
  atMillis,
  actor,
  action,
  subject,
  details,
  device,
  network,
}: AuditEntry): AuditPage['data'][number] {
  return {
    id,
    at: toIsoString(atMillis),
    actor,
    action,
    subject,
    details: canonicalJson(details),
    device,
    network,
  };
}
