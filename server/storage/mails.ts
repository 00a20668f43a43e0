import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { SqlDatabase, WriteTx } from './database.ts';
import { mails } from './schema/index.ts';
import { bound, db, input, insertInto, matches, type Stored, statement, withoutNulls } from './statements.ts';

/** The queue of mails, and the log of those that left it. */

type Mail = Stored<typeof mails>;

/** A mail as `server/people/compose-mail.ts` makes it. */
export type NewMail = Pick<
  Mail,
  'id' | 'workspaceId' | 'visitorId' | 'template' | 'locale' | 'createdAt' | 'expiresAt'
> & {
  sealedContent: string;
};

const insert = insertInto(mails);

/** Queues a mail in the transaction of the change that it tells of. Does nothing without one: mail may be off. */
export async function queueMail(tx: WriteTx, mail: NewMail | undefined): Promise<void> {
  if (mail) await tx.run(insert, { ...mail, state: 'waiting', attempts: 0, nextAttemptAt: mail.createdAt });
}

export async function queueMails(tx: WriteTx, mails: readonly NewMail[]): Promise<void> {
  for (const mail of mails) await queueMail(tx, mail);
}

/** Mails about a workspace that loses something to another one. */
export type LossNotices = { workspaceId: string; mails: readonly NewMail[] };

export function sqlMails({ read, write }: SqlDatabase) {
  return {
    queue: (mail: NewMail | undefined) => write(undefined, (tx) => queueMail(tx, mail)),

    /** Lists waiting mails that are due, those that have waited longest first. */
    due: (nowMillis: number, limit: number) =>
      read(undefined, async (tx) => (await tx.all(due, { nowMillis, limit })).map(withoutNulls)),

    /** Records a failed attempt after which the mail waits on. */
    retry: (id: string, nextAttemptAt: number, lastError: string) =>
      write(undefined, async (tx) => {
        await tx.run(retry, { id, nextAttemptAt, lastError });
      }),

    /** Records that the mail was sent or, with an error, given up. Deletes its content, and keeps the row until `expiresAt`. */
    finish: (id: string, expiresAt: number, lastError?: string) =>
      write(undefined, async (tx) => {
        // Recipients are personal data, and links in texts are credentials.
        tx.noteErasure();
        await tx.run(finish, {
          id,
          state: lastError === undefined ? 'sent' : 'failed',
          expiresAt,
          lastError,
        });
      }),

    /** Removes a mail that is not to be sent. */
    drop: (id: string) =>
      write(undefined, async (tx) => {
        tx.noteErasure();
        await tx.run(drop, { id });
      }),
  };
}

const isWaiting = eq(mails.state, 'waiting');
const due = statement(() =>
  db
    .select()
    .from(mails)
    .where(and(isWaiting, lte(mails.nextAttemptAt, input('nowMillis'))))
    .orderBy(asc(mails.nextAttemptAt))
    .limit(input('limit')),
);
const isStillWaiting = and(matches(mails.id), isWaiting);
const oneMore = sql`${mails.attempts} + 1`;
const retry = statement(() =>
  db
    .update(mails)
    .set({ ...bound('nextAttemptAt', 'lastError'), attempts: oneMore })
    .where(isStillWaiting),
);
const finish = statement(() =>
  db
    .update(mails)
    .set({
      ...bound('state', 'expiresAt', 'lastError'),
      attempts: oneMore,
      nextAttemptAt: null,
      sealedContent: null,
    })
    .where(isStillWaiting),
);
const drop = statement(() => db.delete(mails).where(matches(mails.id)));

export type Mails = ReturnType<typeof sqlMails>;
