import { Button, Group, Modal, Paper, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { Invitation, InvitationCreated, Member, MemberRole } from '../../sdk/types.ts';
import { MemberName, RelativeTime, useMemberList } from '../components/attribution.tsx';
import { CopyText } from '../components/copy-button.tsx';
import { usePendingIds } from '../components/deferred.ts';
import { LoadMore, useCursorList } from '../components/list.tsx';
import { Card, ErrorMessage, Loading, Page } from '../components/page.tsx';
import { RegionTable } from '../components/region-table.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { showToast } from '../components/toast.tsx';
import { useAction, useDeferredAction } from '../components/use-action.tsx';
import { queries, ROLES, SESSION, useLeaveWorkspace, useWorkspace } from '../session.ts';
import { ReadOnlyNotice } from './settings/settings.tsx';

export function MembersPage() {
  const t = useTranslations('members');
  const { canEdit } = useWorkspace();
  const members = useMemberList();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Stack>
        {members.isPending && <Loading shape="table" />}
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

function MemberTable({ members }: { members: readonly Member[] }) {
  const t = useTranslations();
  const pending = usePendingIds();
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
          {members
            .filter(({ id }) => !pending.has(id))
            .map((member) => (
              <MemberRow
                key={member.id}
                member={member}
                isLastOwner={member.role === 'owner' && owners === 1}
              />
            ))}
        </RegionTable>
      </Paper>
    </>
  );
}

function MemberRow({ member, isLastOwner }: { member: Member; isLastOwner: boolean }) {
  const t = useTranslations();
  const { role: ownRole, canEdit } = useWorkspace();
  const actions = useMemberActions(member);
  const { email, role, self, addressProved, createdAt } = member;
  const isOutOfReach = role === 'owner' && ownRole !== 'owner';
  const reason = isLastOwner ? t('members.lastOwner') : isOutOfReach ? t('members.onlyOwners') : undefined;
  const isLocked = reason !== undefined;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} miw={200}>
        <bdi className="wrap">{email}</bdi>{' '}
        {self && <StatusBadge color="gray">{t('members.you')}</StatusBadge>}
        {!addressProved && <StatusBadge color="gray">{t('members.unproved')}</StatusBadge>}
        {canEdit && isLocked && (
          <Text size="xs" c="dimmed">
            {reason}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        {canEdit && !isLocked ? (
          <Select
            aria-label={t('members.roleOf', { email })}
            value={role}
            onChange={(newRole) => newRole && newRole !== role && actions.changeRole(newRole)}
            allowDeselect={false}
            disabled={actions.pending}
            data={ROLES.map((value) => ({
              value,
              label: t(`shell.roles.${value}`),
              disabled: value === 'owner' && ownRole !== 'owner',
            }))}
            w={175}
          />
        ) : (
          t(`shell.roles.${role}`)
        )}
      </Table.Td>
      <Table.Td className="nowrap">
        <RelativeTime at={createdAt} />
      </Table.Td>
      <Table.Td>
        {!isLocked && (canEdit || self) && (
          <Button
            variant="default"
            onClick={actions.confirmRemove}
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
  const { id, email, role, self } = member;
  const changes = useChanges();
  const { tenant } = useWorkspace();
  const showLastOwnerNotice = useLastOwnerNotice();
  const removal = useRemoval(member);
  const change = useAction((newRole: MemberRole) => tenant.members.changeRole(id, newRole), {
    changes,
    done: (changed) => t('members.changed', { email, role: t(`shell.roles.${changed.role}`) }),
    undo: () => (self ? undefined : () => tenant.members.changeRole(id, role)),
    onDone: async () => {
      if (self) await queries.invalidateQueries({ queryKey: SESSION });
    },
    onError: showLastOwnerNotice,
  });
  const confirmAction = (kind: 'makeOwner' | 'lowerSelf' | 'remove' | 'leave', act: () => void) =>
    modals.openConfirmModal({
      title: t(`members.${kind}Title`, { email }),
      children: <Text>{t(`members.${kind}Lead`)}</Text>,
      labels: { confirm: t(`members.${kind}`), cancel: t('shell.cancel') },
      confirmProps: kind === 'makeOwner' ? {} : { color: 'red' },
      onConfirm: act,
    });
  return {
    pending: change.isPending || removal.isPending,
    changeRole(newRole: MemberRole) {
      const act = () => change.mutate(newRole);
      if (newRole === 'owner') confirmAction('makeOwner', act);
      else if (self && ROLES.indexOf(newRole) > ROLES.indexOf(role)) confirmAction('lowerSelf', act);
      else act();
    },
    confirmRemove: () => confirmAction(self ? 'leave' : 'remove', removal.remove),
  };
}

function useChanges() {
  const { tenantId } = useWorkspace();
  return [
    ['tenant', tenantId, 'members'],
    ['tenant', tenantId, 'invitations'],
  ] as const;
}

/**
 * Explains why an owner could not be demoted or removed: when two owners demote each other at once, the server keeps
 * one.
 */
function useLastOwnerNotice() {
  const t = useTranslations('members');
  return (error: unknown) => {
    if (!isGuideError(error, 'member/last_owner')) return false;
    showToast(t('lastOwner'), { isError: true });
    return true;
  };
}

/** Removes a member, or lets the user leave. Only the removal of another member who is not an owner can be undone. */
function useRemoval({ id, email, role, self }: Member) {
  const t = useTranslations('members');
  const leaveWorkspace = useLeaveWorkspace();
  const changes = useChanges();
  const { tenant, name } = useWorkspace();
  const onError = useLastOwnerNotice();
  const immediateRemoval = useAction(() => tenant.members.remove(id), {
    changes: self ? [] : changes,
    onDone: async () => {
      showToast(self ? t('left', { name }) : t('removed', { email }));
      if (self) await leaveWorkspace();
    },
    onError,
  });
  const deferRemoval = useDeferredAction((_, options) => tenant.members.remove(id, options), {
    ids: () => [id],
    changes,
    done: t('removed', { email }),
    onError,
  });
  // Leaving ends the page, and an owner's removal asks for the password.
  const isImmediate = self || role === 'owner';
  return {
    remove: () => (isImmediate ? immediateRemoval.mutate() : deferRemoval()),
    isPending: immediateRemoval.isPending,
  };
}

type InvitationValues = { email: string; role: MemberRole };

function Invite() {
  const t = useTranslations();
  const { tenant, tenantId, role: ownRole } = useWorkspace();
  const [created, setCreated] = useState<InvitationCreated>();
  const form = useForm<InvitationValues>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('members.needEmail')) },
  });
  const invite = useAction(
    ({ email, role }: InvitationValues) => tenant.invitations.create({ email: email.trim(), role }),
    {
      changes: [['tenant', tenantId, 'invitations']],
      onDone: (invitation) => {
        setCreated(invitation);
        form.reset();
      },
      onError: (error) => {
        const message = isGuideError(error, 'invitation/already_member')
          ? t('members.alreadyMember')
          : isGuideError(error, 'request/invalid') && t('members.needEmail');
        if (message) form.setFieldError('email', message);
        return Boolean(message);
      },
    },
  );
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))} noValidate>
      <Group align="flex-start" gap="sm">
        <TextInput
          className="grow"
          type="email"
          autoComplete="off"
          label={t('members.email')}
          {...form.getInputProps('email')}
        />
        <Select
          label={t('members.role')}
          description={t(`members.roleHints.${form.values.role}`)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          data={ROLES.filter((value) => value !== 'owner' || ownRole === 'owner')
            .toReversed()
            .map((value) => ({ value, label: t(`shell.roles.${value}`) }))}
          w={240}
          {...form.getInputProps('role')}
        />
        <Button type="submit" loading={invite.isPending} className="beside-field">
          {t('members.createLink')}
        </Button>
      </Group>
      {created && <InvitationLink created={created} close={() => setCreated(undefined)} />}
    </form>
  );
}

/** The link is shown only once, so a stray click must not close the dialog. */
function InvitationLink({ created, close }: { created: InvitationCreated; close: () => void }) {
  const t = useTranslations('members');
  return (
    <Modal
      opened
      onClose={close}
      title={t('linkTitle', { email: created.email })}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack>
        <Text>{t('linkLead')}</Text>
        <TextInput
          label={t('link')}
          value={created.link}
          readOnly
          dir="ltr"
          onFocus={(event) => event.currentTarget.select()}
        />
        <Group justify="space-between">
          <CopyText text={created.link} label={t('copyLink')} variant="filled" data-autofocus />
          <Button variant="default" onClick={close}>
            {t('linkDone')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Invitations() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const list = useCursorList(['tenant', tenantId, 'invitations'], tenant.invitations.list());
  if (list.isPending) return <Loading shape="table" />;
  if (list.isError) return <ErrorMessage error={list.error} retry={list.refetch} />;
  const { rows } = list;
  if (rows.length === 0) return <Text size="sm">{t('members.noneOpen')}</Text>;
  return (
    <>
      <RegionTable
        caption={t('members.invitationsCaption')}
        minWidth={720}
        columns={[
          t('members.email'),
          t('members.role'),
          t('members.invitedBy'),
          t('members.expires'),
          t('members.actions'),
        ]}
      >
        {rows.map((row) => (
          <InvitationRow key={row.id} invitation={row} />
        ))}
      </RegionTable>
      <LoadMore list={list} />
    </>
  );
}

function InvitationRow({ invitation }: { invitation: Invitation }) {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const { id, email, role, invitedBy, expiresAt } = invitation;
  const withdraw = useAction(() => tenant.invitations.withdraw(id), {
    changes: [['tenant', tenantId, 'invitations']],
    done: t('members.withdrawn'),
  });
  const confirmWithdraw = () =>
    modals.openConfirmModal({
      title: t('members.withdrawTitle', { email }),
      children: <Text>{t('members.withdrawLead')}</Text>,
      labels: { confirm: t('members.withdraw'), cancel: t('shell.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => withdraw.mutate(),
    });
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} miw={200}>
        <bdi className="wrap">{email}</bdi>
      </Table.Th>
      <Table.Td>{t(`shell.roles.${role}`)}</Table.Td>
      <Table.Td>
        <MemberName id={invitedBy} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={expiresAt} exact />
      </Table.Td>
      <Table.Td>
        <Button
          variant="default"
          onClick={confirmWithdraw}
          loading={withdraw.isPending}
          aria-label={t('members.withdrawOne', { email })}
        >
          {t('members.withdraw')}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
