import { Button, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useTranslations } from 'use-intl';
import type { Invitation } from '../../../sdk/types.ts';
import { More, useCursorList } from '../../components/cursor-list.tsx';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Person } from '../../components/person.tsx';
import { RegionTable } from '../../components/region-table.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useStep } from '../../components/use-step.ts';
import { useWorkspace } from '../../session.ts';

/** The invitations that nobody has accepted yet. */
export function Invitations() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const list = useCursorList(['tenant', tenantId, 'invitations'], tenant.invitations.list());
  if (list.isPending) return <Loading />;
  if (list.isError) return <Trouble error={list.error} retry={list.refetch} />;
  const { rows } = list;
  if (rows.length === 0) return <Text size="sm">{t('people.noneOpen')}</Text>;
  return (
    <>
      <RegionTable
        caption={t('people.invitationsCaption')}
        minWidth={720}
        columns={[
          t('people.email'),
          t('people.role'),
          t('people.invitedBy'),
          t('people.expires'),
          t('people.actions'),
        ]}
      >
        {rows.map((row) => (
          <InvitationRow key={row.id} invitation={row} />
        ))}
      </RegionTable>
      <More list={list} />
    </>
  );
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const { id, email, role, invitedBy, expiresAt } = invitation;
  const withdraw = useStep(() => tenant.invitations.withdraw(id), {
    changes: [['tenant', tenantId, 'invitations']],
    done: t('people.withdrawn'),
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t('people.withdrawTitle', { email }),
      children: <Text>{t('people.withdrawLead')}</Text>,
      labels: { confirm: t('people.withdraw'), cancel: t('shell.cancel') },
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
        <Person id={invitedBy} />
      </Table.Td>
      <Table.Td>
        <Moment at={expiresAt} exact />
      </Table.Td>
      <Table.Td>
        <Button
          variant="default"
          onClick={ask}
          loading={withdraw.isPending}
          aria-label={t('people.withdrawOne', { email })}
        >
          {t('people.withdraw')}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}
