import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Member, MemberRole } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import { useLeaveWorkspace } from '../../components/use-way-out.ts';
import { queries, SESSION } from '../../queries.ts';
import { useWorkspace } from '../../session.ts';

export const ROLES = ['owner', 'admin', 'member'] as const satisfies readonly MemberRole[];

/** What can be done about a member; what cannot be taken back is asked first. */
export function useMemberSteps(member: Member) {
  const t = useTranslations();
  const wayOut = useLeaveWorkspace();
  const { tenant, tenantId, name } = useWorkspace();
  const { id, email, role, self } = member;
  const changes = [
    ['tenant', tenantId, 'members'],
    ['tenant', tenantId, 'invitations'],
  ] as const;

  /** Two owners can lower each other at once: the service keeps one, and says so. */
  const tellLastOwner = (error: unknown) => {
    if (!isGuideError(error, 'member/last_owner')) return false;
    notifications.show({ color: 'red', message: t('people.lastOwner'), autoClose: 12_000 });
    return true;
  };
  const change = useStep((to: MemberRole) => tenant.members.changeRole(id, to), {
    changes,
    onDone: async (changed) => {
      notifications.show({
        message: t('people.changed', { email, role: t(`shell.roles.${changed.role}`) }),
      });
      if (self) await queries.invalidateQueries({ queryKey: SESSION });
    },
    onError: tellLastOwner,
  });
  const remove = useStep(() => tenant.members.remove(id), {
    changes: self ? [] : changes,
    onDone: async () => {
      notifications.show({ message: self ? t('people.left', { name }) : t('people.removed', { email }) });
      if (self) await wayOut();
    },
    onError: tellLastOwner,
  });

  const ask = (what: 'makeOwner' | 'lowerSelf' | 'remove' | 'leave', act: () => void) =>
    modals.openConfirmModal({
      title: t(`people.${what}Title`, { email }),
      children: <Text>{t(`people.${what}Lead`)}</Text>,
      labels: { confirm: t(`people.${what}`), cancel: t('shell.cancel') },
      confirmProps: what === 'makeOwner' ? {} : { color: 'red' },
      onConfirm: act,
    });
  return {
    pending: change.isPending || remove.isPending,
    changeRole(to: MemberRole) {
      const act = () => change.mutate(to);
      if (to === 'owner') ask('makeOwner', act);
      else if (self && ROLES.indexOf(to) > ROLES.indexOf(role)) ask('lowerSelf', act);
      else act();
    },
    askRemove: () => ask(self ? 'leave' : 'remove', () => remove.mutate()),
  };
}
