import { eq, sql } from 'drizzle-orm';
import { members, users, workspaceOrigins, workspaces } from '../schema.ts';
import type { NewOwner, NewWorkspace, WorkspaceSettings } from '../workspaces.ts';
import type { Drizzle } from './connections.ts';
import { insertInto, placeholder } from './statements.ts';

type NewUser = Pick<NewOwner, 'userId' | 'email' | 'passwordHash'>;

export type WorkspaceWrites = {
  /** Creates the workspace, and its owner when one is given; false where the app id is taken. */
  insertWorkspace(workspace: NewWorkspace, owner?: NewOwner): boolean;
  /** The allowed origins of the settings once more, to be found by. */
  putOrigins(workspaceId: string, settings: WorkspaceSettings): void;
  /** The id of whoever has the address: a known person, who keeps the password that they have, or this new one. */
  knowUser(user: NewUser, createdAt: number): string;
};

/** What writes workspaces inside a write job. */
export function workspaceWrites(writer: Drizzle): WorkspaceWrites {
  const insert = insertInto(writer, workspaces, 'orIgnore');
  const idIsTaken = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.appId, placeholder('appId')))
    .prepare();
  const insertOrigin = insertInto(writer, workspaceOrigins, 'orIgnore');
  const dropOrigins = writer
    .delete(workspaceOrigins)
    .where(eq(workspaceOrigins.workspaceId, placeholder('workspaceId')))
    .prepare();
  const userByEmail = writer
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.email, placeholder('email')))
    .prepare();
  const setPassword = writer
    .update(users)
    .set({ passwordHash: sql`${placeholder('passwordHash')}` })
    .where(eq(users.id, placeholder('id')))
    .prepare();
  const insertUser = insertInto(writer, users);
  const insertMember = insertInto(writer, members);

  function putOrigins(workspaceId: string, settings: WorkspaceSettings): void {
    dropOrigins.run({ workspaceId });
    for (const origin of settings.allowedOrigins) insertOrigin({ origin, workspaceId });
  }

  function knowUser({ userId, email, passwordHash }: NewUser, createdAt: number): string {
    const known = userByEmail.get({ email });
    if (!known) insertUser({ id: userId, email, passwordHash, createdAt });
    else if (known.passwordHash === '') setPassword.run({ id: known.id, passwordHash });
    return known?.id ?? userId;
  }

  return {
    putOrigins,
    knowUser,
    insertWorkspace(workspace, owner) {
      const { id, appId, name, settings, createdAt } = workspace;
      if (idIsTaken.get({ appId })) return false;
      insert({
        id,
        appId,
        name,
        enabled: true,
        settings: JSON.stringify(settings),
        version: 1,
        createdAt,
        updatedAt: createdAt,
        removedAt: null,
      });
      putOrigins(id, settings);
      if (owner) {
        const userId = knowUser(owner, createdAt);
        insertMember({ id: owner.memberId, workspaceId: id, userId, role: 'owner', createdAt });
      }
      return true;
    },
  };
}
