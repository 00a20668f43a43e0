import { sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { INBOX_KIND } from './inbox.ts';
import { type NewMail, queueMail } from './mails.ts';
import { input, rawStatement } from './statements.ts';

/** The weekly mail of members: who gets it, and what it counts. */

export type DigestReader = { memberId: string; email: string; locale: string | null };

export type DigestCounts = {
  /** Questions without an answer, and the topics that they are about. */
  unanswered: number;
  topics: number;
  /** Questions to a person that were sent since, and those that nobody has answered. */
  handovers: number;
  openHandovers: number;
  /** Translations of an earlier text, whenever it changed. */
  stale: number;
};

export function sqlDigests({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    isOn: (memberId: string) =>
      read(workspaceId, async (tx) => (await tx.get(row, { workspaceId, memberId }))?.offSince == null),

    /** Turns the mail of a member on or off. Returns false when there is no such member. */
    set: (memberId: string, offSince: number | null) =>
      write(workspaceId, async (tx) => (await tx.run(set, { workspaceId, memberId, offSince })) > 0),

    /** Lists the members who get the mail and have had none since. */
    listDue: (dueAt: number) => read(workspaceId, (tx) => tx.all(due, { workspaceId, dueAt })),

    count: (since: number) =>
      read(workspaceId, async (tx) => (await tx.get(counts, { workspaceId, since }))!),

    /** Notes that the member's mail is done, and queues it if there is anything to tell. Does nothing a second time. */
    finish: (memberId: string, dueAt: number, mail: NewMail | undefined) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(finish, { workspaceId, memberId, dueAt })) > 0) await queueMail(tx, mail);
      }),
  });
}

/** Finds the workspace of a member. */
export function sqlMemberWorkspace({ read }: SqlDatabase) {
  return (memberId: string) =>
    read(undefined, async (tx) => (await tx.get(workspaceOf, { memberId }))?.workspaceId);
}

const workspaceOf = rawStatement<{ workspaceId: string }>(
  sql`SELECT workspace_id FROM members WHERE id = ${input('memberId')}`,
  'workspaceId',
);
const row = rawStatement<{ offSince: number | null }>(
  sql`SELECT off_since FROM digests WHERE workspace_id = ${input('workspaceId')}
   AND member_id = ${input('memberId')}`,
  'offSince',
);
const set = rawStatement(
  sql`INSERT INTO digests (member_id, workspace_id, off_since)
   SELECT id, workspace_id, ${input('offSince')} FROM members
   WHERE id = ${input('memberId')} AND workspace_id = ${input('workspaceId')}
   ON CONFLICT (member_id) DO UPDATE SET off_since = excluded.off_since`,
);
const due = rawStatement<DigestReader>(
  sql`SELECT members.id, users.email, users.locale FROM members
   JOIN users ON users.id = members.user_id LEFT JOIN digests ON digests.member_id = members.id
   WHERE members.workspace_id = ${input('workspaceId')} AND digests.off_since IS NULL
   AND coalesce(digests.sent_at, 0) < ${input('dueAt')} ORDER BY members.id`,
  'memberId',
  'email',
  'locale',
);
const finish = rawStatement(
  sql`INSERT INTO digests (member_id, workspace_id, sent_at)
   SELECT id, workspace_id, ${input('dueAt')} FROM members
   WHERE id = ${input('memberId')} AND workspace_id = ${input('workspaceId')}
   ON CONFLICT (member_id) DO UPDATE SET sent_at = excluded.sent_at
   WHERE digests.off_since IS NULL AND coalesce(digests.sent_at, 0) < excluded.sent_at`,
);
const UNANSWERED = sql.raw(String(INBOX_KIND.unanswered));
const askedSince = sql`FROM inbox_questions WHERE workspace_id = ${input('workspaceId')}
   AND kinds & ${UNANSWERED} <> 0 AND asked_at >= ${input('since')}`;
const ofWorkspace = sql`workspace_id = ${input('workspaceId')}`;
const counts = rawStatement<DigestCounts>(
  sql`SELECT (SELECT count(*) ${askedSince}), (SELECT count(DISTINCT group_id) ${askedSince}),
   (SELECT count(*) FROM handovers WHERE ${ofWorkspace} AND created_at >= ${input('since')}),
   (SELECT count(*) FROM handovers WHERE ${ofWorkspace} AND state = 'open'),
   (SELECT count(*) FROM passages WHERE ${ofWorkspace} AND stale = 1)`,
  'unanswered',
  'topics',
  'handovers',
  'openHandovers',
  'stale',
);
