import { PROVIDER_LIMITS } from '../../contract/limits/identity-providers.ts';
import { lookForRecord, toDomainRecord } from '../base/domain-proof.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { type BackgroundJob, createBackgroundJob } from '../knowledge/background-job.ts';
import { composeWorkspaceNotices } from '../people/workspace-notices.ts';
import type { ProviderDeps } from './identity-providers.ts';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

type Deps = Pick<
  ProviderDeps,
  'store' | 'clock' | 'domainKey' | 'resolveTexts' | 'composeMail' | 'baseUrl'
> & {
  log: Log;
};

/**
 * Looks for the records of proved domains every day. A domain may get another owner, for whose people the provider of the
 * workspace must not vouch.
 */
export function createDomainRechecks(deps: Deps): BackgroundJob {
  const { store, clock, domainKey, resolveTexts, log } = deps;
  const { signInDomains } = store;
  return createBackgroundJob(clock, HOUR_MILLIS, async (signal) => {
    for (const { workspaceId, domain, provedAt } of await signInDomains.listProved(
      clock.now() - DAY_MILLIS,
    )) {
      if (signal.aborted) return;
      const record = toDomainRecord('sign-in domain', workspaceId, domain, domainKey);
      const found = await lookForRecord(record, resolveTexts);
      const atMillis = clock.now();
      if (found === 'there') await signInDomains.see(workspaceId, domain, atMillis);
      const isLost = found === 'missing' && atMillis - provedAt! > PROVIDER_LIMITS.proofDays * DAY_MILLIS;
      if (!isLost) continue;
      const action = 'identity_provider.domain_lost';
      const by = { id: newId('aud'), atMillis, actor: 'service', subject: workspaceId };
      const values = { domain, days: String(PROVIDER_LIMITS.proofDays) };
      const mails = await composeWorkspaceNotices('sign_in_domain_lost', workspaceId, values, deps);
      await signInDomains.endProof(workspaceId, domain, { ...by, action, details: { domain } }, mails);
      log.warn({ workspaceId, domain }, 'a domain is no longer proved: its TXT record has gone');
    }
  });
}
