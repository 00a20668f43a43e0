import { useFormatter, useNow, useTranslations } from 'use-intl';
import type { Member } from '../../sdk/types.ts';
import { useTenantQuery, useWorkspace } from '../session.ts';

/** Oldest first. */
export function useMemberList() {
  return useTenantQuery(
    ['members'],
    async (tenant, { signal }) => {
      const members: Member[] = [];
      for await (const member of tenant.members.list({ signal, limit: 200 })) members.push(member);
      return members;
    },
    { staleTime: 300_000 },
  );
}

/** Members by id. */
export function useMembers(): ReadonlyMap<string, Member> {
  const { data } = useMemberList();
  return new Map((data ?? []).map((member) => [member.id, member]));
}

/** Names an actor: a member's email, the reader, the command line, or a former member. */
export function MemberName({ id }: { readonly id: string }) {
  const t = useTranslations('shell');
  const { memberId } = useWorkspace();
  const members = useMembers();
  if (id === memberId) return <>{t('you')}</>;
  if (id === 'operator') return <>{t('operator')}</>;
  return <bdi className="wrap">{members.get(id)?.email ?? t('formerMember')}</bdi>;
}

/** The exact time is its title. */
export function RelativeTime({ at, exact = false }: { readonly at: string; readonly exact?: boolean }) {
  const format = useFormatter();
  const now = useNow({ updateInterval: 60_000 });
  const then = new Date(at);
  const whole = format.dateTime(then, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={whole}>
      {exact ? whole : format.relativeTime(then, now)}
    </time>
  );
}
