import { and, eq, gt, isNull, lte, notExists, sql } from 'drizzle-orm';
import type { User, Users } from '../users.ts';
import { insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { members, setupLinks, users, workspaces } from './schema.ts';
import { db, insertInto, matches, placeholder, statement, withoutNulls } from './statements.ts';
import {
  auditEverywhere,
  endOthers,
  listByEmail,
  proveAddress,
  renewSession,
  setPassword,
} from './user-writes.ts';
import { insertWorkspace } from './workspaces.ts';

export function sqlUsers({ read, write }: SqlDatabase): Users {
  return {
    any: () => read(undefined, async (tx) => (await tx.get(anyUser)) !== undefined),
    find: (id) => read(undefined, async (tx) => toUser(await tx.get(byId, { id }))),
    listByEmail: (email) => read(undefined, async (tx) => (await listByEmail(tx, email)).map(withoutNulls)),

    changePassword: ({ userId, from, to, keep, audit }) =>
      write(undefined, async (tx) => {
        const user = await tx.get(byId, { id: userId });
        if (!user) return 'gone';
        if (user.passwordHash !== from) return 'conflict';
        const { sessionId, tokenHash, atMillis } = keep;
        if (!(await renewSession(tx, { userId, id: sessionId, tokenHash, atMillis }))) return 'gone';
        await setPassword(tx, userId, to);
        await endOthers(tx, userId, sessionId);
        await auditEverywhere(tx, userId, audit);
        return 'changed';
      }),

    proveAddress: ({ email, passwordHash, nowMillis, audit }) =>
      write(undefined, async (tx) => {
        const id = (await listByEmail(tx, email))[0]?.id;
        if (id === undefined) return undefined;
        await proveAddress(tx, { newUserId: id, email, passwordHash, nowMillis });
        await auditEverywhere(tx, id, audit);
        return toUser(await tx.get(byId, { id }));
      }),

    rehash: (userId, from, to) =>
      write(undefined, async (tx) => {
        await tx.run(rehash, { id: userId, from, to });
      }),

    addSetupLink: (tokenHash, expiresAt, nowMillis) =>
      write(undefined, async (tx) => {
        await tx.run(dropExpired, { nowMillis });
        await tx.run(insertLink, { tokenHash, expiresAt });
      }),

    findSetupLink: (tokenHash, nowMillis) =>
      read(undefined, (tx) => tx.get(openLink, { tokenHash, nowMillis })),

    setUp: ({ tokenHash, nowMillis, workspace, owner, audit, adopt }) =>
      write(undefined, async (tx) => {
        if ((await tx.get(anyUser)) || !(await tx.get(openLink, { tokenHash, nowMillis }))) return 'gone';
        const orphans = await tx.all(withoutMembers);
        const outcome = await insertWorkspace(tx, workspace, owner);
        if (outcome === 'app_id_taken') return outcome;
        if (outcome !== 'created') throw new Error(`the first owner: ${outcome}`);
        await insertAudit(tx, workspace.id, audit);
        for (const { id: workspaceId } of orphans) {
          const { memberId: id, audit } = adopt(workspaceId);
          const { userId } = owner;
          await tx.run(insertMember, { id, workspaceId, userId, role: 'owner', createdAt: nowMillis });
          await insertAudit(tx, workspaceId, audit);
        }
        await tx.run(dropLinks);
        return 'set_up';
      }),
  };
}

const anyUser = statement(() => db.select({ id: users.id }).from(users).limit(1));
const byId = statement(() => db.select().from(users).where(matches(users.id)));
const rehash = statement(() =>
  db
    .update(users)
    .set({ passwordHash: sql`${placeholder('to')}` })
    .where(and(matches(users.id), eq(users.passwordHash, placeholder('from')))),
);

function toUser(row: typeof users.$inferSelect | undefined): User | undefined {
  return row && withoutNulls(row);
}

const openLink = statement(() =>
  db
    .select({ expiresAt: setupLinks.expiresAt })
    .from(setupLinks)
    .where(and(matches(setupLinks.tokenHash), gt(setupLinks.expiresAt, placeholder('nowMillis')))),
);
const insertLink = insertInto(setupLinks);
const dropExpired = statement(() =>
  db.delete(setupLinks).where(lte(setupLinks.expiresAt, placeholder('nowMillis'))),
);
const dropLinks = statement(() => db.delete(setupLinks));
const insertMember = insertInto(members);
const withoutMembers = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(
      and(
        isNull(workspaces.removedAt),
        notExists(db.select({ id: members.id }).from(members).where(eq(members.workspaceId, workspaces.id))),
      ),
    ),
);
