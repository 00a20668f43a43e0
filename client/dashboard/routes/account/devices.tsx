import { Button, Group, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { SignedInDevice } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import { Mark } from '../../components/mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { RegionTable } from '../../components/region-table.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useStep } from '../../components/use-step.ts';
import { account } from '../../service.ts';

const DEVICES = ['devices'] as const;

/** One person has few sessions: the service keeps the newest ones. */
export function Devices() {
  const t = useTranslations('account');
  const devices = useQuery({
    queryKey: DEVICES,
    queryFn: async ({ signal }) => {
      const found: SignedInDevice[] = [];
      for await (const device of account.sessions.list({ signal })) found.push(device);
      return found;
    },
  });
  const others = (devices.data ?? []).filter(({ current }) => !current);
  const revokeOthers = useStep(
    async () => {
      for (const { id } of others) await revoke(id);
    },
    { changes: [DEVICES], done: t('othersRevoked') },
  );
  if (devices.isPending) return <Loading />;
  if (devices.isError) return <Trouble error={devices.error} retry={devices.refetch} />;
  return (
    <>
      <RegionTable
        caption={t('caption')}
        minWidth={560}
        columns={[t('device'), t('lastSeen'), t('since'), t('actions')]}
      >
        {devices.data.map((device) => (
          <DeviceRow key={device.id} device={device} />
        ))}
      </RegionTable>
      {others.length > 1 && (
        <Group>
          <Button variant="default" onClick={() => revokeOthers.mutate()} loading={revokeOthers.isPending}>
            {t('revokeOthers')}
          </Button>
        </Group>
      )}
    </>
  );
}

/** A session that is over already is what was wanted. */
async function revoke(sessionId: string): Promise<void> {
  try {
    await account.sessions.revoke(sessionId);
  } catch (error) {
    if (!isGuideError(error, 'session/not_found')) throw error;
  }
}

function DeviceRow({
  device: { id, device, lastSeenAt, createdAt, current },
}: {
  readonly device: SignedInDevice;
}) {
  const t = useTranslations('account');
  const format = useFormatter();
  const signOut = useStep(() => revoke(id), { changes: [DEVICES], done: t('revoked') });
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {device} {current && <Mark color="green">{t('current')}</Mark>}
      </Table.Th>
      <Table.Td className="nowrap">
        <Moment at={lastSeenAt} />
      </Table.Td>
      <Table.Td className="nowrap">
        <Moment at={createdAt} exact />
      </Table.Td>
      <Table.Td>
        {!current && (
          <Button
            variant="default"
            onClick={() => signOut.mutate()}
            loading={signOut.isPending}
            aria-label={t('revokeOne', {
              device,
              when: format.dateTime(new Date(lastSeenAt), { dateStyle: 'medium', timeStyle: 'short' }),
            })}
          >
            {t('revoke')}
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
