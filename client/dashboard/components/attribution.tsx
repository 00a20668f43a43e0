import { useFormatter, useNow, useTranslations } from 'use-intl';
import { REQUEST_LIMITS } from '../../../contract/limits/requests.ts';
import type { Member } from '../../sdk/types.ts';
import { useTenantQuery, useWorkspace } from '../session.ts';

/** Reads all members, oldest first. */
export function useMemberList() {
  return useTenantQuery(
    ['members'],
    async (tenant, { signal }) => {
      const members: Member[] = [];
      for await (const member of tenant.members.list({ signal, limit: REQUEST_LIMITS.pageRowsMax }))
        members.push(member);
      return members;
    },
    { staleTime: 300_000 },
  );
}

/** Returns the members by id. */
export function useMembers(): ReadonlyMap<string, Member> {
  const { data } = useMemberList();
  return new Map((data ?? []).map((member) => [member.id, member]));
}

/** Returns the names of automation sessions by id, including those that have ended. */
export function useAutomationNames(enabled = true): ReadonlyMap<string, string> {
  const { data } = useTenantQuery(
    ['automation-sessions', 'names'],
    async (tenant, { signal }) => {
      const names = new Map<string, string>();
      const sessions = tenant.automationSessions.list({ signal, limit: REQUEST_LIMITS.pageRowsMax });
      for await (const { id, name } of sessions) names.set(id, name);
      return names;
    },
    { staleTime: 300_000, enabled },
  );
  return data ?? NO_NAMES;
}
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Names an actor: a member's email, the signed-in user, an automation session, the command line, a mail, or a former member. */
export function MemberName({ id }: { id: string }) {
  const t = useTranslations('shell');
  const a = useTranslations('automation');
  const { memberId } = useWorkspace();
  const members = useMembers();
  const isAutomation = id.startsWith('ses_');
  const name = useAutomationNames(isAutomation).get(id);
  if (isAutomation)
    return name === undefined ? a('title') : <bdi className="wrap">{a('actor', { name })}</bdi>;
  if (id === memberId) return <>{t('you')}</>;
  if (id === 'operator') return <>{t('operator')}</>;
  if (id === 'mail') return <>{t('byMail')}</>;
  return <bdi className="wrap">{members.get(id)?.email ?? t('formerMember')}</bdi>;
}

/**
 * Returns a function that makes the values of a translated sentence about an actor: `self` says whether the actor is the
 * signed-in user, and `who` renders the actor's name.
 */
export function useActorValues() {
  const { memberId } = useWorkspace();
  return (id: string) => ({ self: String(id === memberId), who: () => <MemberName id={id} /> });
}

const UPDATE_MILLIS = 60_000;

/** Shows how long ago something happened. The tooltip shows the exact time. */
export function RelativeTime({ at, exact = false }: { at: string; exact?: boolean }) {
  const format = useFormatter();
  const now = useNow({ updateInterval: UPDATE_MILLIS });
  const date = new Date(at);
  // Never shows a time in the future for what was just saved: `now` is up to a minute old, and clocks differ.
  const isNew = Math.abs(date.getTime() - now.getTime()) < UPDATE_MILLIS;
  const exactText = format.dateTime(date, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={exactText}>
      {exact ? exactText : format.relativeTime(date, isNew && date > now ? date : now)}
    </time>
  );
}
