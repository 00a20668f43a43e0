import { and, asc, eq, inArray, isNotNull, isNull, lt, ne, notInArray, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, Tx, WriteTx } from './database.ts';
import { type LossNotices, type NewMail, queueMails } from './mails.ts';
import { identityProviders, signInDomains, workspaces } from './schema/index.ts';
import {
  db,
  input,
  insertInto,
  matches,
  putInto,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';

/** The identity provider of a workspace. Its secret is encrypted by the caller. */
export type StoredProvider = Stored<typeof identityProviders>;
export type SignInDomain = Omit<Stored<typeof signInDomains>, 'workspaceId'>;

export function sqlIdentityProviders({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Undefined without a provider. Domains by name. */
    find: () => read(workspaceId, (tx) => find(tx, workspaceId)),

    /** Replaces the provider and its domains; those that stay keep their proof. Returns 'no_proof' if it is required without one. */
    set: (provider: Omit<StoredProvider, 'workspaceId'>, domains: readonly string[], audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const known = await tx.all(domainsOfWorkspace, { workspaceId });
        const isProved = known.some(({ domain, provedAt }) => provedAt !== null && domains.includes(domain));
        if (provider.mode === 'required' && !isProved) return 'no_proof';
        for (const { domain } of known)
          if (!domains.includes(domain)) await tx.run(dropDomain, { workspaceId, domain });
        for (const domain of domains)
          if (!known.some((each) => each.domain === domain))
            await tx.run(insertDomain, { workspaceId, domain, provedAt: null });
        await tx.run(put, { ...provider, workspaceId });
        await insertAudit(tx, workspaceId, audit);
        return 'set';
      }),

    remove: (audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        await tx.run(dropDomains, { workspaceId });
        if ((await tx.run(remove, { workspaceId })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),
  });
}

/** Finds providers of any workspace. */
export function sqlSignInDomains({ read, write }: SqlDatabase) {
  return {
    /** Returns the provider of the workspace that proved the domain, unless it is off. */
    findProvider: (domain: string) => read(undefined, (tx) => tx.get(providerOfDomain, { domain })),

    /**
     * Records that the record of the domain names the workspace now, so that the proof of any other workspace ends, together with
     * its requirement where that was its only domain.
     */
    prove: (
      workspaceId: string,
      domain: string,
      nowMillis: number,
      audit: AuditEntry,
      notices: LossNotices | undefined,
    ) =>
      write(undefined, async (tx) => {
        await tx.lock(workspaceId);
        const known = await tx.all(domainsOfWorkspace, { workspaceId });
        if (!known.some((each) => each.domain === domain)) return 'gone';
        await endOtherProofs(tx, workspaceId, domain, notices);
        await tx.run(setProved, { workspaceId, domain, nowMillis });
        await insertAudit(tx, workspaceId, audit);
        return 'proved';
      }),

    /** Returns the other workspace that has proved the domain. */
    findOther: (workspaceId: string, domain: string) =>
      read(undefined, (tx) => tx.get(otherProofs, { workspaceId, domain })),

    /** Lists proved domains whose record was last found before then. */
    listProved: (beforeMillis: number) => read(undefined, (tx) => tx.all(provedBefore, { beforeMillis })),

    /** Records that the record is still there. */
    see: (workspaceId: string, domain: string, nowMillis: number) =>
      write(workspaceId, async (tx) => {
        await tx.run(setSeen, { workspaceId, domain, nowMillis });
      }),

    /** Ends a proof, and the requirement of the provider where that was its only domain. */
    endProof: (workspaceId: string, domain: string, audit: AuditEntry, mails: readonly NewMail[]) =>
      write(workspaceId, async (tx) => {
        await tx.run(dropProof, { workspaceId, domain });
        await queueMails(tx, mails);
        await tx.run(endRequirement, { workspaceId });
        await insertAudit(tx, workspaceId, audit);
      }),

    /** Lists the providers of all workspaces with which people can sign in. */
    providers: () => read(undefined, (tx) => tx.all(usedProviders, {})),
  };
}

async function find(tx: Tx, workspaceId: string) {
  const provider = await tx.get(ofWorkspace, { workspaceId });
  if (!provider) return undefined;
  const domains = await tx.all(domainsOfWorkspace, { workspaceId });
  return {
    ...provider,
    domains: domains.map(({ workspaceId: _, ...domain }): SignInDomain => withoutNulls(domain)),
  };
}

async function endOtherProofs(
  tx: WriteTx,
  workspaceId: string,
  domain: string,
  notices: LossNotices | undefined,
): Promise<void> {
  for (const { workspaceId: loser } of await tx.all(otherProofs, { workspaceId, domain })) {
    await tx.run(dropDomain, { workspaceId: loser, domain });
    await tx.run(endRequirement, { workspaceId: loser });
    if (loser === notices?.workspaceId) await queueMails(tx, notices.mails);
  }
}

const ofWorkspace = statement(() =>
  db.select().from(identityProviders).where(matches(identityProviders.workspaceId)),
);
const domainsOfWorkspace = statement(() =>
  db
    .select()
    .from(signInDomains)
    .where(matches(signInDomains.workspaceId))
    .orderBy(asc(signInDomains.domain)),
);
const put = putInto(identityProviders, identityProviders.workspaceId);
const remove = statement(() => db.delete(identityProviders).where(matches(identityProviders.workspaceId)));
const insertDomain = insertInto(signInDomains);
const dropDomain = statement(() =>
  db.delete(signInDomains).where(matches(signInDomains.workspaceId, signInDomains.domain)),
);
const dropDomains = statement(() => db.delete(signInDomains).where(matches(signInDomains.workspaceId)));
const providerOfDomain = statement(() =>
  db
    .select()
    .from(identityProviders)
    .where(
      and(
        ne(identityProviders.mode, 'off'),
        eq(
          identityProviders.workspaceId,
          db
            .select({ id: workspaces.id })
            .from(signInDomains)
            .innerJoin(
              workspaces,
              and(eq(workspaces.id, signInDomains.workspaceId), isNull(workspaces.removedAt)),
            )
            .where(and(matches(signInDomains.domain), isNotNull(signInDomains.provedAt))),
        ),
      ),
    ),
);
const isHere = inArray(
  signInDomains.workspaceId,
  db.select({ id: workspaces.id }).from(workspaces).where(isNull(workspaces.removedAt)),
);
const provedBefore = statement(() =>
  db
    .select()
    .from(signInDomains)
    .where(and(lt(signInDomains.provedAt, input('beforeMillis')), isHere)),
);
const isStillProved = and(
  matches(signInDomains.workspaceId, signInDomains.domain),
  isNotNull(signInDomains.provedAt),
);
const setSeen = statement(() =>
  db
    .update(signInDomains)
    .set({ provedAt: sql`${input('nowMillis')}` })
    .where(isStillProved),
);
const dropProof = statement(() => db.update(signInDomains).set({ provedAt: null }).where(isStillProved));
const usedProviders = statement(() =>
  db
    .select({ workspaceId: identityProviders.workspaceId, issuer: identityProviders.issuer })
    .from(identityProviders)
    .innerJoin(workspaces, eq(workspaces.id, identityProviders.workspaceId))
    .where(and(ne(identityProviders.mode, 'off'), isNull(workspaces.removedAt)))
    .orderBy(asc(identityProviders.workspaceId)),
);
const otherProofs = statement(() =>
  db
    .select({ workspaceId: signInDomains.workspaceId })
    .from(signInDomains)
    .where(
      and(
        matches(signInDomains.domain),
        isNotNull(signInDomains.provedAt),
        ne(signInDomains.workspaceId, input('workspaceId')),
      ),
    ),
);
const setProved = statement(() =>
  db
    .update(signInDomains)
    .set({ provedAt: sql`${input('nowMillis')}` })
    .where(matches(signInDomains.workspaceId, signInDomains.domain)),
);
/** Without a proved domain, nobody could meet the requirement. */
const endRequirement = statement(() =>
  db
    .update(identityProviders)
    .set({ mode: 'optional' })
    .where(
      and(
        matches(identityProviders.workspaceId),
        eq(identityProviders.mode, 'required'),
        notInArray(
          identityProviders.workspaceId,
          db
            .select({ workspaceId: signInDomains.workspaceId })
            .from(signInDomains)
            .where(isNotNull(signInDomains.provedAt)),
        ),
      ),
    ),
);
