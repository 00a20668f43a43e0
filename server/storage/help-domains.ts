import { and, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { type LossNotices, queueMails } from './mails.ts';
import { helpDomains, workspaces } from './schema/index.ts';
import { db, input, matches, putInto, type Stored, statement, withoutNulls } from './statements.ts';

/** The domains that workspaces have for their help centres. */
export type HelpDomain = Stored<typeof helpDomains>;

export function sqlHelpDomain({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    find: () =>
      read(workspaceId, async (tx): Promise<HelpDomain | undefined> => {
        const row = await tx.get(ofWorkspace, { workspaceId });
        return row && withoutNulls(row);
      }),

    /** Replaces the domain; the same one keeps its proof. */
    set: (domain: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.get(ofWorkspace, { workspaceId }))?.domain === domain) return;
        await tx.run(put, { workspaceId, domain, provedAt: null });
        await insertAudit(tx, workspaceId, audit);
      }),

    remove: (audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(remove, { workspaceId })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),
  });
}

export function sqlProvedHelpDomains({ read, write }: SqlDatabase) {
  return {
    /** Lists the proved domains of all workspaces. */
    list: () => read(undefined, (tx) => tx.all(proved)),

    /** Returns the other workspace that has proved the domain. */
    findOther: (workspaceId: string, domain: string) =>
      read(undefined, (tx) => tx.get(other, { workspaceId, domain })),

    /** Records that the domain names the workspace now, so that any other workspace loses it. */
    prove: (
      workspaceId: string,
      domain: string,
      provedAt: number,
      audit: AuditEntry,
      notices: LossNotices | undefined,
    ) =>
      write(undefined, async (tx) => {
        await tx.lock(workspaceId);
        if ((await tx.get(ofWorkspace, { workspaceId }))?.domain !== domain) return 'gone';
        const loser = (await tx.get(other, { workspaceId, domain }))?.workspaceId;
        await tx.run(removeOther, { workspaceId, domain });
        if (loser !== undefined && loser === notices?.workspaceId) await queueMails(tx, notices.mails);
        await tx.run(put, { workspaceId, domain, provedAt });
        await insertAudit(tx, workspaceId, audit);
        return 'proved';
      }),
  };
}

const isProved = isNotNull(helpDomains.provedAt);
const ofWorkspace = statement(() => db.select().from(helpDomains).where(matches(helpDomains.workspaceId)));
const put = putInto(helpDomains, helpDomains.workspaceId);
const remove = statement(() => db.delete(helpDomains).where(matches(helpDomains.workspaceId)));
const isOther = and(matches(helpDomains.domain), isProved, ne(helpDomains.workspaceId, input('workspaceId')));
const removeOther = statement(() => db.delete(helpDomains).where(isOther));
const other = statement(() =>
  db
    .select({ workspaceId: helpDomains.workspaceId, appId: workspaces.appId })
    .from(helpDomains)
    .innerJoin(workspaces, sql`${workspaces.id} = ${helpDomains.workspaceId}`)
    .where(isOther),
);
const proved = statement(() =>
  db
    .select({ domain: helpDomains.domain, appId: workspaces.appId })
    .from(helpDomains)
    .innerJoin(
      workspaces,
      and(sql`${workspaces.id} = ${helpDomains.workspaceId}`, isNull(workspaces.removedAt)),
    )
    .where(isProved),
);
