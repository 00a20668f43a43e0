import { asc, eq, getTableColumns } from 'drizzle-orm';
import type { Members } from '../members.ts';
import type { Connections } from './connections.ts';
import { members, users } from './schema.ts';
import { given } from './statements.ts';

export function sqliteMembers({ reader, read }: Connections): Members {
  const userByEmail = reader
    .select()
    .from(users)
    .where(eq(users.email, given('email')))
    .prepare();
  const ofWorkspace = reader
    .select({ ...getTableColumns(members), email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.workspaceId, given('workspaceId')))
    .orderBy(asc(members.createdAt), asc(members.id))
    .prepare();

  return {
    findUserByEmail: (email) => read(() => userByEmail.get({ email })),
    list: (workspaceId) => read(() => ofWorkspace.all({ workspaceId })),
  };
}
