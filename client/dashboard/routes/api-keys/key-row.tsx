import { ActionIcon, Menu, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconBan, IconCircleCheck, IconDots, IconRefresh } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { ApiKey } from '../../../sdk/types.ts';
import { Mark } from '../../components/mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { Person } from '../../components/person.tsx';
import { useStep } from '../../components/use-step.ts';
import { useWorkspace } from '../../session.ts';
import type { FreshKey } from './secret.tsx';

export function KeyRow({
  apiKey,
  made,
}: {
  readonly apiKey: ApiKey;
  readonly made: (key: FreshKey) => void;
}) {
  const t = useTranslations('apiKeys');
  const { name, scopes, lastFour, createdBy, createdAt, lastUsedAt, revokedAt } = apiKey;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <bdi className="wrap">{name || t('unnamed')}</bdi>
        <Text size="xs" c="dimmed">
          {t.rich('endsIn', { lastFour })}
        </Text>
      </Table.Th>
      <Table.Td>{scopes.map((scope) => t(`scopeNames.${scope}`)).join(', ')}</Table.Td>
      <Table.Td>
        <Moment at={createdAt} />
        <Text size="xs" c="dimmed" component="div">
          {t.rich('madeBy', { who: () => <Person id={createdBy} /> })}
        </Text>
      </Table.Td>
      <Table.Td>{lastUsedAt ? <Moment at={lastUsedAt} /> : t('neverUsed')}</Table.Td>
      <Table.Td>
        <Works revokedAt={revokedAt} />
      </Table.Td>
      <Table.Td>{!revokedAt && <KeyActions apiKey={apiKey} made={made} />}</Table.Td>
    </Table.Tr>
  );
}

function Works({ revokedAt }: { readonly revokedAt: string | undefined }) {
  const t = useTranslations('apiKeys');
  if (!revokedAt) {
    return (
      <Mark color="green" icon={IconCircleCheck}>
        {t('works')}
      </Mark>
    );
  }
  return (
    <>
      <Mark color="gray" icon={IconBan}>
        {t('revoked')}
      </Mark>
      <Text size="xs" c="dimmed" component="div">
        <Moment at={revokedAt} />
      </Text>
    </>
  );
}

/** Stops a key; asked first, since there is no way back. */
export function useRevoke() {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  return useStep((keyId: string) => tenant.apiKeys.revoke(keyId), {
    changes: [['tenant', tenantId, 'api-keys']],
    done: t('revokedNow'),
  });
}

function KeyActions({ apiKey, made }: { readonly apiKey: ApiKey; readonly made: (key: FreshKey) => void }) {
  const t = useTranslations('apiKeys');
  const s = useTranslations('shell');
  const { tenant, tenantId } = useWorkspace();
  const { id, scopes, lastFour } = apiKey;
  const name = apiKey.name || t('unnamed');
  const revoke = useRevoke();
  const rotate = useStep(() => tenant.apiKeys.create({ name, scopes: [...scopes] }), {
    changes: [['tenant', tenantId, 'api-keys']],
    onDone: (key) => made({ key, replaces: { id, lastFour } }),
  });
  const ask = (what: 'revoke' | 'rotate') =>
    modals.openConfirmModal({
      title: t(`${what}Title`, { name }),
      children: <Text>{t(`${what}Lead`, { lastFour })}</Text>,
      labels: { confirm: t(what === 'rotate' ? 'rotateNow' : 'revoke'), cancel: s('cancel') },
      confirmProps: what === 'rotate' ? {} : { color: 'red' },
      onConfirm: () => (what === 'rotate' ? rotate.mutate() : revoke.mutate(id)),
    });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('actionsOf', { name })}
          loading={rotate.isPending || revoke.isPending}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => ask('rotate')}>
          {t('rotate')}
        </Menu.Item>
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => ask('revoke')}
        >
          {t('revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
