import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import type { SetUpRequest } from '../../contract/session.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { normalizeLine } from '../base/text.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { RequestContext } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { SetupLink } from '../storage/users.ts';
import { SETTINGS_DEFAULTS } from '../storage/workspace-settings.ts';
import type { NewOwner, NewWorkspace, Workspace } from '../storage/workspaces.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { toAuditOrigin } from '../workspaces/audit-trail.ts';
import { newAppId, parseSettingsChange } from '../workspaces/settings-change.ts';
import { assertStrongPassword, hashPassword } from './password.ts';
import { openSession, type SessionDeps, type SignedIn, WITH_PASSWORD } from './sign-in.ts';

/** Returns a one-time link that creates the first owner; undefined once a user exists. Print it to a terminal only. */
export async function newSetupUrl(
  { store: { users }, clock }: { store: Pick<Store, 'users'>; clock: Clock },
  baseUrl: string,
): Promise<string | undefined> {
  if (await users.hasAny()) return undefined;
  const token = makeSessionToken();
  const now = clock.now();
  await users.addSetupLink(hashToken(token), now + ACCOUNT_LIMITS.setupLinkSeconds * 1000, now);
  // The token is in the fragment, which browsers do not send, so proxies and logs never see it.
  return `${baseUrl}/dashboard/setup#token=${token}`;
}

/** Throws `setup/not_found` unless the link works now. */
export async function findSetupLink(
  token: string,
  { store: { users }, clock }: { store: Pick<Store, 'users'>; clock: Clock },
): Promise<SetupLink> {
  const link = (await users.hasAny()) ? undefined : await users.findSetupLink(hashToken(token), clock.now());
  return link ?? throwApiError('setup/not_found');
}

/** Creates the first workspace and its owner, and signs the owner in. The link works once. */
export async function setUp(input: SetUpRequest, ctx: RequestContext, deps: SessionDeps): Promise<SignedIn> {
  const { users } = deps.store;
  const tokenHash = hashToken(input.token);
  const nowMillis = deps.clock.now();
  // Check the link before hashing, so that callers without a link cannot cause that work.
  await findSetupLink(input.token, deps);
  const email = input.email.toLowerCase();
  const workspace = toWorkspace(input, nowMillis);
  await assertStrongPassword(input.password, [email, workspace.name], 'body.password');
  const passwordHash = await hashPassword(input.password);
  const owner: NewOwner = { memberId: newId('mem'), userId: newId('usr'), email, passwordHash };
  const outcome = await users.setUp({
    tokenHash,
    nowMillis,
    workspace,
    owner,
    ...newAuditEntries(workspace, owner, ctx),
  });
  if (outcome === 'gone') return throwApiError('setup/not_found', 'used by another request');
  if (outcome === 'app_id_taken') throw new Error('app id collision');
  const user = { id: owner.userId, email, passwordHash };
  return { user, opened: await openSession(user, WITH_PASSWORD, ctx, deps) };
}

/** Throws `request/invalid` for settings that are not valid. */
function toWorkspace(input: SetUpRequest, createdAt: number): NewWorkspace {
  const { allowedOrigins, sourceLocale } = input;
  const name =
    normalizeLine(input.workspaceName, WORKSPACE_LIMITS.workspaceNameCharsMax) ??
    throwInvalidRequest({
      path: 'body.workspaceName',
      code: 'custom',
      message: 'Expected a name with visible characters.',
    });
  const blank = { id: newId('ws'), appId: newAppId(), name, settings: SETTINGS_DEFAULTS, createdAt };
  const before: Workspace = { ...blank, enabled: true, version: 1, updatedAt: createdAt };
  const { settings } = parseSettingsChange({ allowedOrigins, sourceLocale })(before);
  return { ...blank, settings: { ...SETTINGS_DEFAULTS, ...settings } };
}

function newAuditEntries(
  { id, name, appId, settings, createdAt: atMillis }: NewWorkspace,
  owner: NewOwner,
  ctx: RequestContext,
) {
  const origin = toAuditOrigin(ctx);
  return {
    audit: {
      id: newId('aud'),
      atMillis,
      actor: owner.memberId,
      action: 'workspace.created',
      subject: id,
      details: { name, appId, settings },
      ...origin,
    },
    adopt: () => {
      const memberId = newId('mem');
      const details = { email: owner.email, role: 'owner' };
      const audit = { atMillis, actor: memberId, action: 'member.added', subject: memberId, details };
      return { memberId, audit: { ...audit, ...origin, id: newId('aud') } };
    },
  };
}
