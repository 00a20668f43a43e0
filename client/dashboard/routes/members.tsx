import {
  Anchor,
  Button,
  Paper,
  Select,
  type SelectProps,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { Invitation, InvitationCreated, Member, MemberRole } from '../../sdk/types.ts';
import { MemberName, RelativeTime, useMemberList } from '../components/attribution.tsx';
import { Form, isEmail, trim, useFields } from '../components/form.tsx';
import { Loaded } from '../components/loading.tsx';
import { Card, Note, Page } from '../components/page.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { DataTable, List, useCursorList } from '../components/table.tsx';
import {
  showToast,
  useAction,
  useConfirm,
  useDeferredAction,
  usePendingIds,
} from '../components/use-action.tsx';
import {
  queries,
  ROLES,
  SESSION,
  useLeaveWorkspace,
  useSession,
  useTenantQuery,
  useWorkspace,
} from '../session.ts';
import { ReadOnlyNotice } from './settings/settings.tsx';

export default function MembersPage() {
  const t = useTranslations('members');
  const { canEdit } = useWorkspace();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Stack>
        <Loaded query={useMemberList()} shape="table">
          {(members) => <MemberTable members={members} />}
        </Loaded>
        <RequireSecondFactor />
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

/** Only owners change it; everybody sees it. */
function RequireSecondFactor() {
  const t = useTranslations('members');
  const { tenant, role } = useWorkspace();
  const { factor } = useSession();
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  const change = useAction(
    (requireSecondFactor: boolean) => tenant.settings.change({ requireSecondFactor }),
    {
      changes: ['settings'],
      done: ({ requireSecondFactor }) => t(requireSecondFactor ? 'factorRequired' : 'factorOptional'),
    },
  );
  const isRequired = settings.data?.requireSecondFactor ?? false;
  const isOwner = role === 'owner';
  return (
    <Card title={t('factor')} lead={t('factorLead')} wide>
      <Loaded query={settings}>
        {() => (
          <>
            <Switch
              label={t('requireFactor')}
              checked={isRequired}
              disabled={!isOwner || change.isPending || (!factor && !isRequired)}
              onChange={(event) => change.mutate(event.currentTarget.checked)}
            />
            {isOwner && !factor && !isRequired && (
              <Note>
                {t('ownFactorFirst')}{' '}
                <Anchor component={Link} to="/account">
                  {t('toAccount')}
                </Anchor>
              </Note>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function MemberTable({ members }: { members: readonly Member[] }) {
  const t = useTranslations('members');
  const { role: ownRole } = useWorkspace();
  const pending = usePendingIds();
  const owners = members.filter(({ role }) => role === 'owner').length;
  /** Why the user cannot change a member. */
  const getLock = ({ role }: Member) => {
    if (role !== 'owner') return undefined;
    return owners === 1 ? t('lastOwner') : ownRole === 'owner' ? undefined : t('onlyOwners');
  };
  return (
    <>
      <ReadOnlyNotice />
      <Paper withBorder>
        <DataTable
          caption={t('caption')}
          isRegion
          minWidth={640}
          horizontalSpacing="lg"
          rows={members.filter(({ id }) => !pending.has(id))}
          columns={[
            {
              label: t('member'),
              className: 'whole',
              cell: (member) => <MemberCell member={member} lock={getLock(member)} />,
            },
            { label: t('role'), cell: (member) => <RoleCell member={member} lock={getLock(member)} /> },
            { label: t('joined'), className: 'nowrap', cell: (row) => <RelativeTime at={row.createdAt} /> },
            {
              label: t('actions'),
              cell: (member) => getLock(member) === undefined && <RemoveButton member={member} />,
            },
          ]}
        />
      </Paper>
    </>
  );
}

type MemberProps = { member: Member };
type LockableProps = MemberProps & { lock: string | undefined };

function MemberCell({ member: { email, self, addressProved }, lock }: LockableProps) {
  const t = useTranslations('members');
  const { canEdit } = useWorkspace();
  return (
    <>
      <bdi className="wrap">{email}</bdi> {self && <StatusBadge color="gray">{t('you')}</StatusBadge>}
      {!addressProved && <StatusBadge color="gray">{t('unproved')}</StatusBadge>}
      {canEdit && lock && <Note>{lock}</Note>}
    </>
  );
}

function RoleCell({ member, lock }: LockableProps) {
  const t = useTranslations();
  const { role: ownRole, canEdit } = useWorkspace();
  const { email, role } = member;
  const { change, isPending } = useRoleChange(member);
  if (!canEdit || lock) return t(`shell.roles.${role}`);
  return (
    <Select
      aria-label={t('members.roleOf', { email })}
      value={role}
      onChange={(newRole) => newRole && newRole !== role && change(newRole)}
      allowDeselect={false}
      disabled={isPending}
      data={ROLES.map((value) => ({
        value,
        label: t(`shell.roles.${value}`),
        disabled: value === 'owner' && ownRole !== 'owner',
      }))}
      w={175}
    />
  );
}

function RemoveButton({ member }: MemberProps) {
  const t = useTranslations('members');
  const { canEdit } = useWorkspace();
  const { email, self } = member;
  const ask = useMemberConfirm(member);
  const { remove, isPending } = useRemoval(member);
  if (!canEdit && !self) return null;
  return (
    <Button
      variant="default"
      onClick={() => ask(self ? 'leave' : 'remove', remove)}
      loading={isPending}
      aria-label={self ? undefined : t('removeOne', { email })}
    >
      {t(self ? 'leave' : 'remove')}
    </Button>
  );
}

function useMemberConfirm({ email }: Member) {
  const t = useTranslations('members');
  const confirm = useConfirm();
  return (kind: 'makeOwner' | 'lowerSelf' | 'remove' | 'leave', act: () => void) =>
    confirm(
      {
        title: t(`${kind}Title`, { email }),
        lead: t(`${kind}Lead`),
        confirm: t(kind),
        isHarmless: kind === 'makeOwner',
      },
      act,
    );
}

/** Asks for confirmation where a change cannot be undone. */
function useRoleChange(member: Member) {
  const t = useTranslations();
  const { id, email, role, self } = member;
  const { tenant } = useWorkspace();
  const ask = useMemberConfirm(member);
  const { mutate, isPending } = useAction((newRole: MemberRole) => tenant.members.changeRole(id, newRole), {
    changes: CHANGES,
    done: (changed) => t('members.changed', { email, role: t(`shell.roles.${changed.role}`) }),
    undo: () => (self ? undefined : () => tenant.members.changeRole(id, role)),
    onDone: async () => {
      if (self) await queries.invalidateQueries({ queryKey: SESSION });
    },
    onError: useLastOwnerNotice(),
  });
  const change = (newRole: MemberRole) => {
    const act = () => mutate(newRole);
    if (newRole === 'owner') ask('makeOwner', act);
    else if (self && ROLES.indexOf(newRole) > ROLES.indexOf(role)) ask('lowerSelf', act);
    else act();
  };
  return { change, isPending };
}

const CHANGES = ['members', 'invitations'];

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
  const { tenant, name } = useWorkspace();
  const onError = useLastOwnerNotice();
  const immediateRemoval = useAction(() => tenant.members.remove(id), {
    changes: self ? [] : CHANGES,
    onDone: async () => {
      showToast(self ? t('left', { name }) : t('removed', { email }));
      if (self) await leaveWorkspace();
    },
    onError,
  });
  const deferRemoval = useDeferredAction((_, options) => tenant.members.remove(id, options), {
    ids: () => [id],
    changes: CHANGES,
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
  const t = useTranslations('members');
  const { tenant } = useWorkspace();
  const [created, setCreated] = useState<InvitationCreated>();
  const state = useFields<InvitationValues>({
    section: 'members',
    initialValues: { email: '', role: 'member' },
    fields: [
      {
        name: 'email',
        as: TextInput,
        input: { type: 'email', autoComplete: 'off', className: 'grow' },
        clean: trim,
        check: (email: string) => !isEmail(email) && t('needEmail'),
        explainIssue: () => t('needEmail'),
      },
      { name: 'role', as: RoleSelect },
    ],
    explain: (error) => isGuideError(error, 'invitation/already_member') && { email: t('alreadyMember') },
  });
  const invite = useAction((values: InvitationValues) => tenant.invitations.create(values), {
    changes: ['invitations'],
    onDone: (invitation) => {
      setCreated(invitation);
      state.form.reset();
    },
    onError: state.showError,
  });
  return (
    <>
      <Form
        state={state}
        send={invite.mutate}
        isPending={invite.isPending}
        isRow
        submitLabel={t('createLink')}
      />
      {created && (
        <SecretDialog
          title={t('linkTitle', { email: created.email })}
          lead={created.mailed ? t('mailedLead', { email: created.email }) : t('linkLead')}
          label={t('link')}
          secret={created.link}
          copyLabel={t('copyLink')}
          closeLabel={t('linkDone')}
          close={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

/** Only owners make owners. */
function RoleSelect(select: SelectProps) {
  const t = useTranslations();
  const { role: ownRole } = useWorkspace();
  return (
    <Select
      {...select}
      description={t(`members.roleHints.${select.value as MemberRole}`)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      allowDeselect={false}
      data={ROLES.filter((value) => value !== 'owner' || ownRole === 'owner')
        .toReversed()
        .map((value) => ({ value, label: t(`shell.roles.${value}`) }))}
      w={240}
    />
  );
}

function Invitations() {
  const t = useTranslations('members');
  const s = useTranslations('shell');
  const list = useCursorList(['invitations'], (tenant) => tenant.invitations.list());
  return (
    <List list={list} empty={<Text size="sm">{t('noneOpen')}</Text>}>
      {(rows) => (
        <DataTable
          caption={t('invitationsCaption')}
          isRegion
          minWidth={640}
          rows={rows}
          columns={[
            { label: t('email'), cell: ({ email }) => <bdi className="wrap">{email}</bdi> },
            { label: t('role'), cell: ({ role }) => s(`roles.${role}`) },
            { label: t('invitedBy'), cell: ({ invitedBy }) => <MemberName id={invitedBy} /> },
            { label: t('expires'), cell: ({ expiresAt }) => <RelativeTime at={expiresAt} exact /> },
            { label: t('actions'), cell: (invitation) => <WithdrawButton invitation={invitation} /> },
          ]}
        />
      )}
    </List>
  );
}

function WithdrawButton({ invitation: { id, email } }: { invitation: Invitation }) {
  const t = useTranslations('members');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const withdraw = useAction(() => tenant.invitations.withdraw(id), {
    changes: ['invitations'],
    done: t('withdrawn'),
  });
  const question = {
    title: t('withdrawTitle', { email }),
    lead: t('withdrawLead'),
    confirm: t('withdraw'),
  };
  return (
    <Button
      variant="default"
      onClick={() => confirm(question, withdraw.mutate)}
      loading={withdraw.isPending}
      aria-label={t('withdrawOne', { email })}
    >
      {t('withdraw')}
    </Button>
  );
}
