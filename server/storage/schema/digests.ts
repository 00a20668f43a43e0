/** The weekly mail of each member. A member without a row gets it, and has had none yet. */

import { index, integer, sqliteTable } from 'drizzle-orm/sqlite-core';
import { members } from './accounts.ts';
import { ofWorkspace, partOf } from './workspaces.ts';

export const digests = sqliteTable(
  'digests',
  {
    memberId: partOf(() => members.id).primaryKey(),
    workspaceId: ofWorkspace(),
    /** Absent while the member gets the mail. */
    offSince: integer(),
    /** When the last one was due to be sent. */
    sentAt: integer(),
  },
  (table) => [index('digests_by_workspace').on(table.workspaceId)],
);
