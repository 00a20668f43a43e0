import { LIMITS } from '../../contract/limits.ts';
import type { SetUpRequest } from '../../contract/session.ts';
import type { Clock } from '../clock.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { RequestContext } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { normalizeLine } from '../normalize-text.ts';
import type { Store } from '../storage/store.ts';
import type { SetupLink, User } from '../storage/users.ts';
import type { NewOwner, NewWorkspace, Workspace } from '../storage/workspaces.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { refuseBadPassword } from './new-password.ts';
import { newAppId, SETTINGS_DEFAULTS } from './new-workspace.ts';
import { hashPassword } from './password.ts';
import type { SessionDeps } from './session.ts';
import { settingsChange } from './settings-change.ts';
import { type Opened, openSession } from './sign-in.ts';

/** The first owner: there is no default account, so the service hands a one-time link to whoever reads its terminal. */

/** The address of a new link, for the terminal alone; undefined when somebody can sign in already. */
export async function newSetupUrl(
  { store: { users }, clock }: { readonly store: Pick<Store, 'users'>; readonly clock: Clock },
  baseUrl: string,
): Promise<string | undefined> {
  if (await users.any()) return undefined;
  const token = makeSessionToken();
  const now = clock.now();
  await users.addSetupLink(hashToken(token), now + LIMITS.setupLinkSeconds * 1000, now);
  // Behind the hash, where no proxy and no log sees it.
  return `${baseUrl}/dashboard/setup#token=${token}`;
}

/** Throws `setup/not_found` unless the link works now. */
export async function findSetupLink(
  token: string,
  { store: { users }, clock }: { readonly store: Pick<Store, 'users'>; readonly clock: Clock },
): Promise<SetupLink> {
  const link = (await users.any()) ? undefined : await users.findSetupLink(hashToken(token), clock.now());
  return link ?? throwApiError('setup/not_found');
}

/** Uses a link up: makes the first workspace and its owner, who is signed in. */
export async function setUp(
  input: SetUpRequest,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<{ readonly user: Pick<User, 'id' | 'email'>; readonly opened: Opened }> {
  const { users } = deps.store;
  const tokenHash = hashToken(input.token);
  const nowMillis = deps.clock.now();
  // Nobody makes the service hash passwords without a link.
  await findSetupLink(input.token, deps);
  const email = input.email.toLowerCase();
  const workspace = workspaceOf(input, nowMillis);
  await refuseBadPassword(input.password, [email, workspace.name], 'body.password');
  const passwordHash = await hashPassword(input.password);
  const owner: NewOwner = { memberId: newId('mem'), userId: newId('usr'), email, passwordHash };
  const done = await users.setUp({ tokenHash, nowMillis, workspace, owner, ...auditOf(workspace, owner) });
  if (done === 'gone') return throwApiError('setup/not_found', 'somebody was faster');
  if (done === 'app_id_taken') throw new Error('a random app id was taken');
  const user = { id: owner.userId, email, passwordHash };
  return { user, opened: await openSession(user, ctx, deps) };
}

/** The workspace that the body asks for, in canonical form. Refuses what makes no sense. */
function workspaceOf(input: SetUpRequest, createdAt: number): NewWorkspace {
  const { allowedOrigins, sourceLocale } = input;
  const name =
    normalizeLine(input.workspaceName, LIMITS.workspaceNameCharsMax) ??
    throwInvalidRequest({
      path: 'body.workspaceName',
      code: 'custom',
      message: 'Expected a name that can be read.',
    });
  const blank = { id: newId('ws'), appId: newAppId(), name, settings: SETTINGS_DEFAULTS, createdAt };
  const before: Workspace = { ...blank, enabled: true, version: 1, updatedAt: createdAt };
  const { settings } = settingsChange({ allowedOrigins, sourceLocale })(before);
  return { ...blank, settings: { ...SETTINGS_DEFAULTS, ...settings } };
}

function auditOf({ id, name, appId, settings, createdAt: atMillis }: NewWorkspace, owner: NewOwner) {
  return {
    audit: {
      id: newId('aud'),
      atMillis,
      actor: owner.memberId,
      action: 'workspace.created',
      subject: id,
      details: { name, appId, settings },
    },
    adopt: () => {
      const memberId = newId('mem');
      const details = { email: owner.email, role: 'owner' };
      const audit = { atMillis, actor: memberId, action: 'member.added', subject: memberId, details };
      return { memberId, audit: { ...audit, id: newId('aud') } };
    },
  };
}
