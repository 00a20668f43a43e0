import { and, gt } from 'drizzle-orm';
import type { MembershipAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { type NewMail, queueMail } from './mails.ts';
import { passwordResets } from './schema/index.ts';
import { db, input, insertInto, matches, statement } from './statements.ts';
import { auditAllMemberships, listByEmail, proveAddress } from './user-writes.ts';

/** One-time links, sent by mail, with which the owner of an address sets a new password. */

type NewPassword = {
  tokenHash: string;
  /** PHC string. */
  passwordHash: string;
  nowMillis: number;
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
  /** Tells the user of the change. */
  mail: NewMail | undefined;
};

export function sqlPasswordResets({ read, write }: SqlDatabase) {
  return {
    /** Stores a link, with the mail that carries it. Does not look whether the address has an account. */
    add: (link: typeof passwordResets.$inferInsert, mail: NewMail | undefined) =>
      write(undefined, async (tx) => {
        await tx.run(insert, link);
        await queueMail(tx, mail);
      }),

    /** Returns undefined when the link is unknown, expired or used. */
    find: (tokenHash: string, nowMillis: number) =>
      read(undefined, (tx) => tx.get(open, { tokenHash, nowMillis })),

    /** Uses up all links of the address and sets the password, as `users.proveAddress` does. */
    use: ({ tokenHash, passwordHash, nowMillis, audit, mail }: NewPassword) =>
      write(undefined, async (tx) => {
        const link = await tx.get(open, { tokenHash, nowMillis });
        if (!link) return 'gone';
        const { email } = link;
        await tx.run(dropOfAddress, { email });
        const id = (await listByEmail(tx, email))[0]?.id;
        if (id === undefined) return 'gone';
        await proveAddress(tx, { newUserId: id, email, passwordHash, nowMillis });
        await auditAllMemberships(tx, id, audit);
        await queueMail(tx, mail);
        return 'set';
      }),
  };
}

const insert = insertInto(passwordResets);
const open = statement(() =>
  db
    .select({ email: passwordResets.email, expiresAt: passwordResets.expiresAt })
    .from(passwordResets)
    .where(and(matches(passwordResets.tokenHash), gt(passwordResets.expiresAt, input('nowMillis')))),
);
const dropOfAddress = statement(() => db.delete(passwordResets).where(matches(passwordResets.email)));
