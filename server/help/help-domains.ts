import type { KeyObject } from 'node:crypto';
import type { HelpAddress, helpDomains as router } from '../../contract/help-domains.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { hasRecord, type ResolveTexts, toDomainRecord } from '../base/domain-proof.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { ComposeMail } from '../people/compose-mail.ts';
import { composeLossNotices } from '../people/workspace-notices.ts';
import type { HelpDomain } from '../storage/help-domains.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { createMemberAudit } from '../workspaces/audit-trail.ts';
import { toBaseUrl } from './addresses.ts';
import type { HelpDomainReader } from './domains.ts';
import type { ReadProofFile } from './proof-file.ts';

/** The domains of help centres, as their owners set and prove them. */

type Deps = {
  store: Pick<Store, 'in' | 'workspaces' | 'provedHelpDomains'>;
  composeMail: ComposeMail;
  baseUrl: () => string;
  clock: Clock;
  helpDomains: HelpDomainReader;
  domainKey: KeyObject;
  resolveTexts: ResolveTexts;
  readProofFile: ReadProofFile;
};

export function helpDomainHandlers(deps: Deps): Handlers<typeof router> {
  const { store, clock, helpDomains } = deps;
  const toAudit = createMemberAudit(clock);

  const describe = async (workspace: Workspace): Promise<HelpAddress> => {
    const stored = await store.in(workspace.id).helpDomain.find();
    const proved = stored?.provedAt === undefined ? undefined : stored.domain;
    return {
      url: toBaseUrl(helpDomains.findPlace(workspace.appId, proved)),
      isGiven: helpDomains.isGiven(workspace.appId),
      ...(stored && { domain: describeDomain(stored, deps.domainKey) }),
    };
  };

  return {
    readHelpDomain: async ({ caller }) => ({ status: 200, body: await describe(caller.workspace) }),

    async setHelpDomain({ caller, body: { domain }, ctx }) {
      const { id } = caller.workspace;
      if (!helpDomains.isAvailable(domain)) throwApiError('help_domain/not_available');
      await store.in(id).helpDomain.set(domain, toAudit(caller, ctx, 'help_domain.changed', id, { domain }));
      return { status: 200, body: await describe(caller.workspace) };
    },

    async removeHelpDomain({ caller, ctx }) {
      const { id } = caller.workspace;
      const outcome = await store.in(id).helpDomain.remove(toAudit(caller, ctx, 'help_domain.removed', id));
      if (outcome === 'gone') throwApiError('help_domain/not_found');
      return { status: 200, body: await describe(caller.workspace) };
    },

    async proveHelpDomain({ caller, body: { domain }, ctx }) {
      const { id } = caller.workspace;
      if ((await store.in(id).helpDomain.find())?.domain !== domain) throwApiError('help_domain/not_found');
      if (!helpDomains.isAvailable(domain)) throwApiError('help_domain/not_available');
      if (!(await isProved(id, domain, deps))) throwApiError('help_domain/not_proved');
      const audit = toAudit(caller, ctx, 'help_domain.proved', id, { domain });
      const loser = await store.provedHelpDomains.findOther(id, domain);
      const notices = loser && (await composeNotices(loser, domain, deps));
      const outcome = await store.provedHelpDomains.prove(id, domain, clock.now(), audit, notices);
      if (outcome === 'gone') throwApiError('help_domain/not_found');
      return { status: 200, body: await describe(caller.workspace) };
    },
  };
}

/** The mails lead to the pages without the domain. */
function composeNotices(loser: { workspaceId: string; appId: string }, domain: string, deps: Deps) {
  const url = toBaseUrl(deps.helpDomains.findPlace(loser.appId, undefined));
  return composeLossNotices('help_domain_lost', loser, { domain, url }, deps);
}

const toRecord = (workspaceId: string, domain: string, key: KeyObject) =>
  toDomainRecord('help domain', workspaceId, domain, key);

/** Help centres have no page of this name, so that pointing a domain to the service proves nothing. */
const toFileUrl = (domain: string) => `https://${domain}/.well-known/guidepost-help.txt`;

function describeDomain({ workspaceId, domain, provedAt }: HelpDomain, key: KeyObject) {
  const record = toRecord(workspaceId, domain, key);
  return {
    ...{ domain, record },
    file: { url: toFileUrl(domain), content: record.value },
    ...(provedAt !== undefined && { provedAt: toIsoString(provedAt) }),
  };
}

async function isProved(
  workspaceId: string,
  domain: string,
  { domainKey, resolveTexts, readProofFile }: Deps,
): Promise<boolean> {
  const record = toRecord(workspaceId, domain, domainKey);
  if (await hasRecord(record, resolveTexts)) return true;
  return (await readProofFile(toFileUrl(domain)))?.trim() === record.value;
}
