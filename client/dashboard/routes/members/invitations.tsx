import { Button, Group, Modal, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Invitation, InvitationCreated, MemberRole } from '../../../sdk/types.ts';
import { MemberName, RelativeTime } from '../../components/attribution.tsx';
import { CopyText } from '../../components/copy-button.tsx';
import { LoadMore, RegionTable, useCursorList } from '../../components/list.tsx';
import { ErrorMessage, Loading } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { ROLES, useWorkspace } from '../../session.ts';

type Invited = { readonly email: string; readonly role: MemberRole };

export function Invite() {
  const t = useTranslations();
  const { tenant, tenantId, role: ownRole } = useWorkspace();
  const [created, setCreated] = useState<InvitationCreated>();
  const form = useForm<Invited>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('members.needEmail')) },
  });
  const invite = useAction(
    ({ email, role }: Invited) => tenant.invitations.create({ email: email.trim(), role }),
    {
      changes: [['tenant', tenantId, 'invitations']],
      onDone: (answer) => {
        setCreated(answer);
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
function InvitationLink({
  created,
  close,
}: {
  readonly created: InvitationCreated;
  readonly close: () => void;
}) {
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

export function Invitations() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const list = useCursorList(['tenant', tenantId, 'invitations'], tenant.invitations.list());
  if (list.isPending) return <Loading />;
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

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const { id, email, role, invitedBy, expiresAt } = invitation;
  const withdraw = useAction(() => tenant.invitations.withdraw(id), {
    changes: [['tenant', tenantId, 'invitations']],
    done: t('members.withdrawn'),
  });
  const ask = () =>
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
          onClick={ask}
          loading={withdraw.isPending}
          aria-label={t('members.withdrawOne', { email })}
        >
          {t('members.withdraw')}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
