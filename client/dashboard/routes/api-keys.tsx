import {
  ActionIcon,
  Button,
  Checkbox,
  Menu,
  Modal,
  Paper,
  Select,
  Stack,
  Switch,
  Table,
  Text,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { IconBan, IconCircleCheck, IconDots, IconPlus, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { ApiKey, ApiKeyCreated, NewApiKey } from '../../sdk/types.ts';
import { RelativeTime, useActorValues } from '../components/attribution.tsx';
import { LISTED, LoadMore, useCursorList } from '../components/list.tsx';
import { DialogButtons, EmptyState, ErrorMessage, Loading, Page } from '../components/page.tsx';
import { RegionTable } from '../components/region-table.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useAction } from '../components/use-action.tsx';
import { useWorkspace } from '../session.ts';
import {
  CredentialDialog,
  type CredentialValues,
  toRestrictions,
  useCredentialErrors,
} from './credential-dialog.tsx';
import { RequireEditor } from './settings/settings.tsx';

export function ApiKeysPage() {
  const t = useTranslations('apiKeys');
  const { canEdit } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const [created, setCreated] = useState<ApiKeyCreated>();
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        canEdit && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
            {t('new')}
          </Button>
        )
      }
    >
      <RequireEditor>
        <Keys onCreated={setCreated} />
        {opened && (
          <CreateKeyDialog
            close={() => setOpened(false)}
            onCreated={(key) => {
              setOpened(false);
              setCreated(key);
            }}
          />
        )}
        {created && (
          <SecretDialog
            title={t('createdTitle', { name: created.name })}
            lead={t('createdLead')}
            label={t('key')}
            secret={created.key}
            copyLabel={t('copyKey')}
            storedLabel={t('stored')}
            close={() => setCreated(undefined)}
          />
        )}
      </RequireEditor>
    </Page>
  );
}

function Keys({ onCreated }: { onCreated: (key: ApiKeyCreated) => void }) {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  const [showRevoked, setShowRevoked] = useState(false);
  const list = useCursorList(['tenant', tenantId, 'api-keys'], tenant.apiKeys.list());
  if (list.isPending) return <Loading shape="table" />;
  if (list.isError) return <ErrorMessage error={list.error} retry={list.refetch} />;
  const rows = list.rows.filter((key) => showRevoked || !hasEnded(key));
  return (
    <Stack>
      {rows.length === 0 ? (
        <EmptyState title={t('empty')} lead={t('emptyLead')} />
      ) : (
        <KeyTable rows={rows} onCreated={onCreated} />
      )}
      {(showRevoked || rows.length < list.rows.length) && (
        <Switch
          label={t('showRevoked')}
          checked={showRevoked}
          onChange={(event) => setShowRevoked(event.currentTarget.checked)}
        />
      )}
      <LoadMore list={list} />
    </Stack>
  );
}

function KeyTable({ rows, onCreated }: { rows: readonly ApiKey[]; onCreated: (key: ApiKeyCreated) => void }) {
  const t = useTranslations('apiKeys');
  return (
    <Paper withBorder>
      <RegionTable
        caption={t('caption')}
        minWidth={760}
        horizontalSpacing="lg"
        columns={[t('key'), t('scopes'), t('created'), t('lastUsed'), t('status'), t('actions')]}
      >
        {rows.map((row) => (
          <KeyRow key={row.id} apiKey={row} onCreated={onCreated} />
        ))}
      </RegionTable>
    </Paper>
  );
}

function KeyRow({ apiKey, onCreated }: { apiKey: ApiKey; onCreated: (key: ApiKeyCreated) => void }) {
  const t = useTranslations('apiKeys');
  const format = useFormatter();
  const actorValues = useActorValues();
  const { name, scopes, lastFour, createdBy, createdAt, lastUsedAt, lastUsedNetwork, allowedNetworks } =
    apiKey;
  const isEnded = hasEnded(apiKey);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <bdi className="wrap">{name || t('unnamed')}</bdi>
        <Text size="xs" c="dimmed">
          {t.rich('endsIn', { lastFour })}
        </Text>
      </Table.Th>
      <Table.Td>
        {format.list(
          scopes.map((scope) => t(`scopeNames.${scope}`)),
          LISTED,
        )}
        {allowedNetworks.length > 0 && (
          <Text size="xs" c="dimmed" component="div">
            {t('onlyFrom')} <bdi dir="ltr">{format.list(allowedNetworks, LISTED)}</bdi>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={createdAt} />
        <Text size="xs" c="dimmed" component="div">
          {t.rich('createdBy', actorValues(createdBy))}
        </Text>
      </Table.Td>
      <Table.Td>
        {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('neverUsed')}
        {lastUsedNetwork && (
          <Text size="xs" c="dimmed" component="div">
            <bdi dir="ltr">{lastUsedNetwork}</bdi>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <KeyStatus apiKey={apiKey} />
      </Table.Td>
      <Table.Td>{!isEnded && <KeyActions apiKey={apiKey} onCreated={onCreated} />}</Table.Td>
    </Table.Tr>
  );
}

const hasEnded = ({ revokedAt, expiresAt }: ApiKey) =>
  revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());

function KeyStatus({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations('apiKeys');
  const { revokedAt, expiresAt, replacedBy } = apiKey;
  const isEnded = hasEnded(apiKey);
  const at = revokedAt ?? expiresAt;
  return (
    <>
      <StatusBadge color={isEnded ? 'gray' : 'green'} icon={isEnded ? IconBan : IconCircleCheck}>
        {t(revokedAt ? 'revoked' : isEnded ? 'expired' : replacedBy ? 'replaced' : 'active')}
      </StatusBadge>
      {at && (
        <Text size="xs" c="dimmed" component="div">
          {!isEnded && `${t('ends')} `}
          <RelativeTime at={at} exact={!isEnded} />
        </Text>
      )}
    </>
  );
}

/** Revokes a key permanently, after confirmation. */
function useRevoke({ id, name, lastFour }: ApiKey) {
  const t = useTranslations('apiKeys');
  const s = useTranslations('shell');
  const { tenant, tenantId } = useWorkspace();
  const revoke = useAction(() => tenant.apiKeys.revoke(id), {
    changes: [['tenant', tenantId, 'api-keys']],
    done: t('revokedNow'),
  });
  const confirmRevoke = () =>
    modals.openConfirmModal({
      title: t('revokeTitle', { name: name || t('unnamed') }),
      children: <Text>{t('revokeLead', { lastFour })}</Text>,
      labels: { confirm: t('revoke'), cancel: s('cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate(),
    });
  return { confirmRevoke, isPending: revoke.isPending };
}

function KeyActions({ apiKey, onCreated }: { apiKey: ApiKey; onCreated: (key: ApiKeyCreated) => void }) {
  const t = useTranslations('apiKeys');
  const { replacedBy } = apiKey;
  const name = apiKey.name || t('unnamed');
  const revoke = useRevoke(apiKey);
  const [rotating, setRotating] = useState(false);
  return (
    <>
      {rotating && (
        <RotateDialog
          apiKey={apiKey}
          close={() => setRotating(false)}
          onCreated={(key) => {
            setRotating(false);
            onCreated(key);
          }}
        />
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size={36}
            aria-label={t('actionsFor', { name })}
            loading={revoke.isPending}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!replacedBy && (
            <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => setRotating(true)}>
              {t('rotate')}
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconBan size={16} aria-hidden />}
            onClick={revoke.confirmRevoke}
          >
            {t('revoke')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Seconds for which the old key keeps working. */
const OVERLAPS = { now: 0, hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 } as const;

function RotateDialog({
  apiKey,
  close,
  onCreated,
}: {
  apiKey: ApiKey;
  close: () => void;
  onCreated: (key: ApiKeyCreated) => void;
}) {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>('week');
  const rotate = useAction(() => tenant.apiKeys.rotate(apiKey.id, { overlapSeconds: OVERLAPS[overlap] }), {
    changes: [['tenant', tenantId, 'api-keys']],
    onDone: (key) => onCreated(key),
  });
  return (
    <Modal opened onClose={close} title={t('rotateTitle', { name: apiKey.name || t('unnamed') })}>
      <Stack>
        <Text>{t('rotateLead')}</Text>
        <Select
          label={t('overlap')}
          value={overlap}
          onChange={(value) => value && setOverlap(value as keyof typeof OVERLAPS)}
          allowDeselect={false}
          data={Object.keys(OVERLAPS).map((value) => ({
            value,
            label: t(`overlaps.${value as keyof typeof OVERLAPS}`),
          }))}
          data-autofocus
        />
        <DialogButtons cancel={close}>
          <Button onClick={() => rotate.mutate()} loading={rotate.isPending}>
            {t('rotateNow')}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

const SCOPES = ['analytics:read', 'events:read', 'knowledge:read'] as const;

type KeyForm = CredentialValues & Pick<NewApiKey, 'scopes'>;

function CreateKeyDialog({
  close,
  onCreated,
}: {
  close: () => void;
  onCreated: (key: ApiKeyCreated) => void;
}) {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  const form = useForm<KeyForm>({
    initialValues: { name: '', scopes: ['analytics:read'], expires: '', networks: '' },
    validate: {
      name: (value) => (/\S/.test(value) ? null : t('needName')),
      scopes: (value) => (value.length > 0 ? null : t('needScope')),
    },
  });
  const onError = useCredentialErrors(form, 'scopes');
  const create = useAction(
    (values: KeyForm) =>
      tenant.apiKeys.create({ name: values.name, scopes: values.scopes, ...toRestrictions(values) }),
    { changes: [['tenant', tenantId, 'api-keys']], onDone: (key) => onCreated(key), onError },
  );
  const texts = {
    title: t('newTitle'),
    nameHint: t('nameHint'),
    expires: t('expires'),
    expiresHint: t('expiresHint'),
    networksHint: t('networksHint'),
    create: t('create'),
  };
  return (
    <CredentialDialog
      form={form}
      texts={texts}
      isPending={create.isPending}
      onSubmit={form.onSubmit((values) => create.mutate(values))}
      close={close}
    >
      <Checkbox.Group label={t('scopes')} {...form.getInputProps('scopes')}>
        <Stack gap="sm" mt="xs">
          {SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`scopeNames.${scope}`)}
              description={t(`scopeHints.${scope}`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </CredentialDialog>
  );
}
