import { Alert, Button, Paper, Select, Table, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { Member } from '../../../sdk/types.ts';
import { Mark } from '../../components/mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { RegionTable } from '../../components/region-table.tsx';
import { useWorkspace } from '../../session.ts';
import { ROLES, useMemberSteps } from './member-steps.tsx';

export function MemberTable({ members }: { readonly members: readonly Member[] }) {
  const t = useTranslations();
  const { mayChange } = useWorkspace();
  const owners = members.filter(({ role }) => role === 'owner').length;
  return (
    <>
      {!mayChange && (
        <Alert color="gray" icon={<IconLock size={18} aria-hidden />}>
          {t('settings.readOnly')}
        </Alert>
      )}
      <Paper withBorder>
        <RegionTable
          caption={t('people.caption')}
          minWidth={680}
          horizontalSpacing="lg"
          columns={[t('people.member'), t('people.role'), t('people.joined'), t('people.actions')]}
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
  const { role: ownRole, mayChange } = useWorkspace();
  const steps = useMemberSteps(member);
  const { email, role, self, createdAt } = member;
  const outOfReach = role === 'owner' && ownRole !== 'owner';
  const why = lastOwner ? t('people.lastOwner') : outOfReach ? t('people.onlyOwners') : undefined;
  const fixed = why !== undefined;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} miw={200}>
        <bdi className="wrap">{email}</bdi> {self && <Mark color="gray">{t('people.you')}</Mark>}
        {mayChange && fixed && (
          <Text size="xs" c="dimmed">
            {why}
          </Text>
        )}
      </Table.Th>
      <Table.Td>
        {mayChange && !fixed ? (
          <Select
            aria-label={t('people.roleOf', { email })}
            value={role}
            onChange={(to) => to && to !== role && steps.changeRole(to)}
            allowDeselect={false}
            disabled={steps.pending}
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
        <Moment at={createdAt} />
      </Table.Td>
      <Table.Td>
        {!fixed && (mayChange || self) && (
          <Button
            variant="default"
            onClick={steps.askRemove}
            loading={steps.pending}
            aria-label={self ? undefined : t('people.removeOne', { email })}
          >
            {t(self ? 'people.leave' : 'people.remove')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
