import { Button, Paper, Select, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Member, MemberRole } from '../../../sdk/types.ts';
import { RelativeTime, useMemberList } from '../../components/attribution.tsx';
import { RegionTable } from '../../components/list.tsx';
import { Card, ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/require-editor.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useAction } from '../../components/use-action.tsx';
import { queries, ROLES, SESSION, useLeaveWorkspace, useWorkspace } from '../../session.ts';
import { Invitations, Invite } from './invitations.tsx';

export function MembersPage() {
  const t = useTranslations('members');
  const { canEdit } = useWorkspace();
  const members = useMemberList();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Stack>
        {members.isPending && <Loading />}
        {members.isError && <ErrorMessage error={members.error} retry={members.refetch} />}
        {members.data && <MemberTable members={members.data} />}
        {canEdit && (
          <>
            <Card title={t('invite')} lead={t('inviteLead')} wide>
              <Invite />
            </Card>
            <Card title={t('open')} wide>
              <Invitations />
            </Card>
          </>
        )}
      </Stack>
    </Page>
  );
}

function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const t = useTranslations();
  const owners = members.filter(({ role }) => role === 'owner').length;
  return (
    <>
      <ReadOnlyNotice />
      <Paper withBorder>
        <RegionTable
          caption={t('members.caption')}
          minWidth={680}
          horizontalSpacing="lg"
          columns={[t('members.member'), t('members.role'), t('members.joined'), t('members.actions')]}
        >
          {members.map((member) => (
            <MemberRow key={member.id} member={member} lastOwner={member.role === 'owner' && owners === 1} />
          ))}
        </RegionTable>
      </Paper>
    </>
  );
}

function MemberRow({ member, lastOwner }: { readonly member: Member; readonly lastOwner: boolean }) {
  const t = useTranslations();
  const { role: ownRole, canEdit } = useWorkspace();
  const actions = useMemberActions(member);
  const { email, role, self, addressProved, createdAt } = member;
  const outOfReach = role === 'owner' && ownRole !== 'owner';
  const reason = lastOwner ? t('members.lastOwner') : outOfReach ? t('members.onlyOwners') : undefined;
  const locked = reason !== undefined;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} miw={200}>
        <bdi className="wrap">{email}</bdi>{' '}
        {self && <StatusBadge color="gray">{t('members.you')}</StatusBadge>}
        {!addressProved && <StatusBadge color="gray">{t('members.unproved')}</StatusBadge>}
        {canEdit && locked && (
          <Text size="xs" c="dimmed">
            {reason}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        {canEdit && !locked ? (
          <Select
            aria-label={t('members.roleOf', { email })}
            value={role}
            onChange={(to) => to && to !== role && actions.changeRole(to)}
            allowDeselect={false}
            disabled={actions.pending}
            data={ROLES.map((value) => ({
              value,
              label: t(`shell.roles.${value}`),
              disabled: value === 'owner' && ownRole !== 'owner',
            }))}
            w={150}
          />
        ) : (
          t(`shell.roles.${role}`)
        )}
      </Table.Td>
      <Table.Td className="nowrap">
        <RelativeTime at={createdAt} />
      </Table.Td>
      <Table.Td>
        {!locked && (canEdit || self) && (
          <Button
            variant="default"
            onClick={actions.askRemove}
            loading={actions.pending}
            aria-label={self ? undefined : t('members.removeOne', { email })}
          >
            {t(self ? 'members.leave' : 'members.remove')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** Asks for confirmation where an action cannot be undone. */
function useMemberActions(member: Member) {
  const t = useTranslations();
  const leaveWorkspace = useLeaveWorkspace();
  const { tenant, tenantId, name } = useWorkspace();
  const { id, email, role, self } = member;
  const changes = [
    ['tenant', tenantId, 'members'],
    ['tenant', tenantId, 'invitations'],
  ] as const;

  /** Two owners can demote each other at once; the server keeps one of them. */
  const tellLastOwner = (error: unknown) => {
    if (!isGuideError(error, 'member/last_owner')) return false;
    notifications.show({ color: 'red', message: t('members.lastOwner'), autoClose: 12_000 });
    return true;
  };
  const change = useAction((to: MemberRole) => tenant.members.changeRole(id, to), {
    changes,
    onDone: async (changed) => {
      notifications.show({
        message: t('members.changed', { email, role: t(`shell.roles.${changed.role}`) }),
      });
      if (self) await queries.invalidateQueries({ queryKey: SESSION });
    },
    onError: tellLastOwner,
  });
  const remove = useAction(() => tenant.members.remove(id), {
    changes: self ? [] : changes,
    onDone: async () => {
      notifications.show({ message: self ? t('members.left', { name }) : t('members.removed', { email }) });
      if (self) await leaveWorkspace();
    },
    onError: tellLastOwner,
  });

  const ask = (what: 'makeOwner' | 'lowerSelf' | 'remove' | 'leave', act: () => void) =>
    modals.openConfirmModal({
      title: t(`members.${what}Title`, { email }),
      children: <Text>{t(`members.${what}Lead`)}</Text>,
      labels: { confirm: t(`members.${what}`), cancel: t('shell.cancel') },
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
