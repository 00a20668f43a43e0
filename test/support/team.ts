import { createAutomationSession } from '../../server/accounts/automation-sessions.ts';
import {
  HASHES_QUEUED_MAX,
  HASHES_RUNNING_MAX,
  hashPassword,
  limitHashing,
} from '../../server/accounts/password.ts';
import { newId } from '../../server/base/ids.ts';
import type { Automation } from '../../server/storage/automation-sessions.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import type { Workspace } from '../../server/storage/workspaces.ts';
import { buildSessionCookie, hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { type Harness, type HarnessOptions, openHarness } from './harness.ts';
import { readResponse, type TestResponse } from './response.ts';

/** The password of every test user. */
export const PASSWORD = 'violet spoon under the desk';
let hashed: Promise<string> | undefined;
const hashOnce = () => {
  hashed ??= hashPassword(PASSWORD);
  return hashed;
};

/**
 * A server with a signed-in owner, admin and member of one workspace and the owner of another one.
 */

export const PEOPLE = ['owner', 'admin', 'member', 'stranger'] as const;
export type Person = (typeof PEOPLE)[number];

export type MemberClient = {
  memberId: string;
  userId: string;
  email: string;
  /** The Cookie header of the session. */
  cookie: string;
  get<Json = unknown>(path: string): Promise<TestResponse<Json>>;
  post<Json = unknown>(path: string, json?: unknown): Promise<TestResponse<Json>>;
  put<Json = unknown>(path: string, json: unknown): Promise<TestResponse<Json>>;
  patch<Json = unknown>(path: string, json: unknown): Promise<TestResponse<Json>>;
  delete<Json = unknown>(path: string): Promise<TestResponse<Json>>;
  upload<Json = unknown>(path: string, form: FormData): Promise<TestResponse<Json>>;
};

export type Team = {
  harness: Harness;
  workspace: Workspace;
  /** The workspace of the stranger. */
  elsewhere: Workspace;
  /** Returns a client for the person. Paths are relative to the workspace unless they begin with /api/. */
  as(person: Person): MemberClient;
  /** Opens another session with a recently confirmed password. */
  signIn(who: { userId: string; email: string; memberId: string }): Promise<MemberClient>;
  close(): Promise<void>;
};

export async function openTeam(options: HarnessOptions = {}): Promise<Team> {
  return openTeamOn(await openHarness(options));
}

/** Like `openTeam`, on an open harness. */
export async function openTeamOn(harness: Harness): Promise<Team> {
  const { workspace } = harness;
  const owner = await addOwnerOf(harness, workspace, 'owner@shop.example');
  const elsewhere = await harness.addWorkspace({ suggestions: [], voice: VOICE_DEFAULTS });
  const people = {
    owner,
    admin: await join(harness, workspace, 'admin', owner.memberId),
    member: await join(harness, workspace, 'member', owner.memberId),
    stranger: await addOwnerOf(harness, elsewhere, 'owner@elsewhere.example'),
  };
  const signIn: Team['signIn'] = async (who) =>
    memberClientOf(harness, who, await openSession(harness, who.userId));
  const memberClients = new Map<Person, MemberClient>();
  for (const person of PEOPLE) memberClients.set(person, await signIn(people[person]));
  return {
    harness,
    workspace,
    elsewhere,
    as: (person) => memberClients.get(person)!,
    signIn,
    close: () => harness.close(),
  };
}

/** Adds a signed-in member: a new user unless the email is given. */
export async function joinAs(
  harness: Harness,
  workspace: Workspace,
  role: 'owner' | 'admin' | 'member',
  email = `${newId('usr')}@shop.example`,
): Promise<MemberClient> {
  const joined = await accept(harness, workspace, role, email, 'operator');
  return openSessionOf(harness, joined);
}

/** Adds a member with an account of the workspace alone, as an accepted invitation makes it. */
export async function joinUnproved(harness: Harness, workspace: Workspace, email: string): Promise<Joined> {
  return accept(harness, workspace, 'member', email, 'operator', false);
}

/** Signs the same user in on another device. */
export async function openSessionOf(harness: Harness, who: Joined): Promise<MemberClient> {
  return memberClientOf(harness, who, await openSession(harness, who.userId));
}

type Joined = { userId: string; memberId: string; email: string };

/** Adds the first owner with an operator's invitation, as the command line does. */
async function addOwnerOf(harness: Harness, workspace: Workspace, email: string): Promise<Joined> {
  return accept(harness, workspace, 'owner', email, 'operator');
}

function join(
  harness: Harness,
  workspace: Workspace,
  role: 'admin' | 'member',
  invitedBy: string,
): Promise<Joined> {
  return accept(harness, workspace, role, `${role}@shop.example`, invitedBy);
}

async function accept(
  { service, clock }: Harness,
  workspace: Workspace,
  role: 'owner' | 'admin' | 'member',
  email: string,
  invitedBy: string,
  provesAddress = true,
): Promise<Joined> {
  const tokenHash = hashToken(makeSessionToken());
  const now = clock.now();
  const id = newId('inv');
  const audit = {
    id: newId('aud'),
    atMillis: now,
    actor: invitedBy,
    action: 'invitation.created',
    subject: id,
    details: {},
  };
  const [known] = await service.store.users.listByEmail(email);
  await service.store.in(workspace.id).invitations.create(
    {
      id,
      workspaceId: workspace.id,
      email,
      role,
      tokenHash,
      invitedBy,
      createdAt: now,
      expiresAt: now + 60_000,
      provesAddress: provesAddress && !known,
    },
    audit,
  );
  const member = await service.store.invitations.accept({
    tokenHash,
    nowMillis: now,
    newMemberId: newId('mem'),
    newUserId: newId('usr'),
    account: known ? { verifiedHash: known.passwordHash } : { passwordHash: await hashOnce() },
    auditId: newId('aud'),
    auditReset: () => ({ ...audit, id: newId('aud') }),
  });
  if (typeof member === 'string') throw new Error(`nobody joined as ${role}`);
  return { userId: member.userId, memberId: member.id, email };
}

async function openSession({ service, clock }: Harness, userId: string): Promise<string> {
  const token = makeSessionToken();
  const now = clock.now();
  await service.store.sessions.open(
    {
      id: newId('ses'),
      userId,
      tokenHash: hashToken(token),
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + 7 * 24 * 3_600_000,
      confirmedAt: now,
      signedInWith: 'password' as const,
      factor: null,
      identityProvider: null,
      device: 'Firefox on Linux',
    },
    10,
  );
  return token;
}

type Granted = Partial<Pick<Automation, 'name' | 'role' | 'areas' | 'allowedNetworks' | 'mayApproveOwn'>> & {
  expiresAt?: number;
};

/** Creates an automation session of a member, as the command line does. Its `memberId` is the actor of what it does. */
export async function openAutomation(
  { harness, memberClient }: { harness: Harness; memberClient: MemberClient },
  { expiresAt, ...granted }: Granted = {},
): Promise<MemberClient> {
  const { service, clock, workspace } = harness;
  const { memberId, userId } = memberClient;
  const created = await createAutomationSession(
    { store: service.store, clock },
    userId,
    {
      workspaceId: workspace.id,
      memberId,
      name: 'Docs pipeline',
      role: 'owner',
      areas: ['articles'],
      allowedNetworks: [],
      mayApproveOwn: false,
      ...granted,
    },
    expiresAt ?? clock.now() + 30 * 86_400_000,
    { actor: 'operator' },
  );
  if (typeof created === 'string') throw new Error(`no automation session: ${created}`);
  return memberClientOf(harness, { ...memberClient, memberId: created.session.id }, created.token);
}

function memberClientOf(harness: Harness, who: Joined, token: string): MemberClient {
  const { baseUrl, workspace, service } = harness;
  const cookie = buildSessionCookie(token, 0, service.baseUrl().startsWith('https:')).split(';')[0]!;
  const sendTo = (path: string, { headers, ...init }: RequestInit) => {
    const whole = path.startsWith('/api/') ? path : `/api/tenants/${workspace.id}${path}`;
    const sent = { cookie, 'sec-fetch-site': 'same-origin', ...(headers as Record<string, string>) };
    return readResponse<never>(fetch(`${baseUrl}${whole}`, { ...init, headers: sent }));
  };
  const call = (method: string, path: string, json?: unknown) =>
    sendTo(path, {
      method,
      ...(json === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }),
    });
  return {
    ...who,
    cookie,
    get: (path) => call('GET', path),
    post: (path, json) => call('POST', path, json),
    put: (path, json) => call('PUT', path, json),
    patch: (path, json) => call('PATCH', path, json),
    delete: (path) => call('DELETE', path),
    upload: (path, body) => sendTo(path, { method: 'POST', body }),
  };
}

/** Fills the password hashing queue until the returned function is called. */
export function occupyHashing(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const occupied = Array.from({ length: HASHES_RUNNING_MAX + HASHES_QUEUED_MAX }, () =>
    limitHashing(() => promise),
  );
  return async () => {
    resolve();
    await Promise.all(occupied);
  };
}
