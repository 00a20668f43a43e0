import {
  AUTOMATION_NAME_CHARS_MAX,
  type automationSessions,
  type Automation as ShownAutomation,
  type ShownAutomationSession,
} from '../../contract/automation-sessions.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { normalizeLine } from '../base/text.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Automation, AutomationSession } from '../storage/automation-sessions.ts';
import type { Store } from '../storage/store.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { toAuditOrigin } from '../workspaces/audit-trail.ts';
import { parseExpiry, parseNetworks } from './api-keys.ts';

/** Sessions of programs. They are stored and resolved like sessions of people, with fewer permissions. */

type Deps = { store: Pick<Store, 'in'>; clock: Clock };

export function automationSessionHandlers(deps: Deps): Handlers<typeof automationSessions> {
  const { store, clock } = deps;
  return {
    async createAutomationSession({ caller, body, ctx }) {
      const name = normalizeLine(body.name, AUTOMATION_NAME_CHARS_MAX);
      if (name === undefined) {
        const message = `Expected 1 to ${AUTOMATION_NAME_CHARS_MAX} visible characters.`;
        return throwInvalidRequest({ path: 'body.name', code: 'custom', message });
      }
      const automation = {
        workspaceId: caller.workspace.id,
        memberId: caller.memberId,
        name,
        role: body.role,
        areas: [...new Set(body.areas)],
        allowedNetworks: parseNetworks(body.allowedNetworks ?? []),
        mayApproveOwn: body.mayApproveOwn ?? false,
      };
      const expiresAt = parseLimitedExpiry(body.expiresAt, clock);
      const origin = { actor: caller.memberId, ...toAuditOrigin(ctx) };
      const created = await createAutomationSession(deps, caller.userId, automation, expiresAt, origin);
      if (created === 'too_many') return throwApiError('session/too_many_automations');
      if (created === 'gone') return throwApiError('tenant/not_found');
      return { status: 201, body: { ...toBody(created.session, clock), token: created.token } };
    },

    async listAutomationSessions({ caller, query }) {
      const all = await store.in(caller.workspace.id).automationSessions.list();
      const { data, ...page } = paginate(all, query, 'newest_first');
      return { status: 200, body: { data: data.map((session) => toBody(session, clock)), ...page } };
    },
  };
}

/** Throws `request/invalid` for a time in the past or too far in the future. */
function parseLimitedExpiry(text: string | undefined, clock: Clock): number {
  if (text === undefined) return clock.now() + ACCOUNT_LIMITS.automationSessionSecondsDefault * 1000;
  const { expiresAt } = parseExpiry(text, clock) as { expiresAt: number };
  if (expiresAt <= clock.now() + ACCOUNT_LIMITS.automationSessionSecondsMax * 1000) return expiresAt;
  const message = 'Expected a time within a year.';
  return throwInvalidRequest({ path: 'body.expiresAt', code: 'too_late', message });
}

/** Returns the session and its token, of which only the hash is stored. */
export async function createAutomationSession(
  { store, clock }: Deps,
  userId: string,
  automation: Automation,
  expiresAt: number,
  origin: Pick<AuditEntry, 'actor' | 'device' | 'network'>,
): Promise<{ session: AutomationSession; token: string } | 'too_many' | 'gone'> {
  const token = makeSessionToken();
  const id = newId('ses');
  const createdAt = clock.now();
  const { workspaceId, memberId: _, mayApproveOwn, ...shown } = automation;
  const session = {
    id,
    userId,
    tokenHash: hashToken(token),
    createdAt,
    lastSeenAt: createdAt,
    expiresAt,
    // A program never enters a password.
    confirmedAt: 0,
    signedInWith: null,
    factor: null,
    identityProvider: null,
    device: automation.name,
  };
  const outcome = await store
    .in(workspaceId)
    .automationSessions.create(session, automation, ACCOUNT_LIMITS.automationSessionsMax, {
      id: newId('aud'),
      atMillis: createdAt,
      action: 'automation_session.created',
      subject: id,
      details: { ...shown, mayApproveOwn, expiresAt: toIsoString(expiresAt) },
      ...origin,
    });
  if (outcome !== 'created') return outcome;
  return { session: { ...automation, id, createdAt, expiresAt, lastSeenAt: createdAt }, token };
}

function toBody(session: AutomationSession, clock: Clock): ShownAutomationSession {
  const { id, name, role, mayApproveOwn, createdAt, expiresAt, lastSeenAt } = session;
  return {
    id,
    name,
    role,
    areas: [...session.areas],
    allowedNetworks: [...session.allowedNetworks],
    mayApproveOwn,
    createdBy: session.memberId,
    createdAt: toIsoString(createdAt),
    expiresAt: toIsoString(expiresAt),
    ...(lastSeenAt === undefined ? {} : { lastSeenAt: toIsoString(lastSeenAt) }),
    active: lastSeenAt !== undefined && expiresAt > clock.now(),
  };
}

/** Builds the body that describes an automation session to its owner and to itself. */
export function toAutomationBody(automation: Automation): ShownAutomation {
  const { workspaceId: tenantId, name, role, areas, allowedNetworks, mayApproveOwn } = automation;
  return { tenantId, name, role, areas: [...areas], allowedNetworks: [...allowedNetworks], mayApproveOwn };
}
