import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Menu,
  Modal,
  Paper,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { ApiKey, ApiKeyCreated, NewApiKey } from '../../sdk/types.ts';
import { CopyText } from '../components/copy-button.tsx';
import { LoadMore, useCursorList } from '../components/cursor-list.tsx';
import { DialogButtons } from '../components/dialog-buttons.tsx';
import { ErrorMessage } from '../components/error-message.tsx';
import { IconBan, IconCircleCheck, IconDots, IconPlus, IconRefresh } from '../components/icons.tsx';
import { Loading } from '../components/loading.tsx';
import { MemberName } from '../components/member-name.tsx';
import { Page } from '../components/page.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { RequireEditor } from '../components/require-editor.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { RegionTable } from '../components/table.tsx';
import { useAction } from '../components/use-action.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';
import { useWorkspace } from '../session.ts';
import { useIssueText } from './settings/settings-form.tsx';

export function ApiKeysPage() {
  const t = useTranslations('apiKeys');
  const { canEdit } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const [created, setCreated] = useState<CreatedKey>();
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
        {created && <KeyDialog created={created} close={() => setCreated(undefined)} />}
      </RequireEditor>
    </Page>
  );
}

function Keys({ onCreated }: { readonly onCreated: (key: CreatedKey) => void }) {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  const [showRevoked, setShowRevoked] = useState(false);
  const list = useCursorList(['tenant', tenantId, 'api-keys'], tenant.apiKeys.list());
  if (list.isPending) return <Loading />;
  if (list.isError) return <ErrorMessage error={list.error} retry={list.refetch} />;
  const rows = list.rows.filter(({ revokedAt }) => showRevoked || revokedAt === undefined);
  return (
    <Stack>
      {rows.length === 0 ? <EmptyState /> : <KeyTable rows={rows} onCreated={onCreated} />}
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

function KeyTable({
  rows,
  onCreated,
}: {
  readonly rows: readonly ApiKey[];
  readonly onCreated: (key: CreatedKey) => void;
}) {
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

function EmptyState() {
  const t = useTranslations('apiKeys');
  return (
    <Paper withBorder p="xl">
      <Stack gap="xs">
        <Text fw={600} size="lg">
          {t('empty')}
        </Text>
        <Text>{t('emptyLead')}</Text>
      </Stack>
    </Paper>
  );
}

function KeyRow({
  apiKey,
  onCreated,
}: {
  readonly apiKey: ApiKey;
  readonly onCreated: (key: CreatedKey) => void;
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
        <RelativeTime at={createdAt} />
        <Text size="xs" c="dimmed" component="div">
          {t.rich('createdBy', { who: () => <MemberName id={createdBy} /> })}
        </Text>
      </Table.Td>
      <Table.Td>{lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('neverUsed')}</Table.Td>
      <Table.Td>
        <KeyStatus revokedAt={revokedAt} />
      </Table.Td>
      <Table.Td>{!revokedAt && <KeyActions apiKey={apiKey} onCreated={onCreated} />}</Table.Td>
    </Table.Tr>
  );
}

function KeyStatus({ revokedAt }: { readonly revokedAt: string | undefined }) {
  const t = useTranslations('apiKeys');
  if (!revokedAt) {
    return (
      <StatusBadge color="green" icon={IconCircleCheck}>
        {t('active')}
      </StatusBadge>
    );
  }
  return (
    <>
      <StatusBadge color="gray" icon={IconBan}>
        {t('revoked')}
      </StatusBadge>
      <Text size="xs" c="dimmed" component="div">
        <RelativeTime at={revokedAt} />
      </Text>
    </>
  );
}

/** Revokes a key permanently, after confirmation. */
function useRevoke() {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  return useAction((keyId: string) => tenant.apiKeys.revoke(keyId), {
    changes: [['tenant', tenantId, 'api-keys']],
    done: t('revokedNow'),
  });
}

function KeyActions({
  apiKey,
  onCreated,
}: {
  readonly apiKey: ApiKey;
  readonly onCreated: (key: CreatedKey) => void;
}) {
  const t = useTranslations('apiKeys');
  const s = useTranslations('shell');
  const { tenant, tenantId } = useWorkspace();
  const { id, scopes, lastFour } = apiKey;
  const name = apiKey.name || t('unnamed');
  const revoke = useRevoke();
  const rotate = useAction(() => tenant.apiKeys.create({ name, scopes: [...scopes] }), {
    changes: [['tenant', tenantId, 'api-keys']],
    onDone: (key) => onCreated({ key, replaces: { id, lastFour } }),
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
          aria-label={t('actionsFor', { name })}
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

const SCOPES = ['analytics:read', 'events:read'] as const;

function CreateKeyDialog({
  close,
  onCreated,
}: {
  readonly close: () => void;
  readonly onCreated: (key: CreatedKey) => void;
}) {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  const issueText = useIssueText();
  const form = useForm<NewApiKey>({
    initialValues: { name: '', scopes: ['analytics:read'] },
    validate: {
      name: (value) => (/\S/.test(value) ? null : t('needName')),
      scopes: (value) => (value.length > 0 ? null : t('needScope')),
    },
  });
  const create = useAction((values: NewApiKey) => tenant.apiKeys.create(values), {
    changes: [['tenant', tenantId, 'api-keys']],
    onDone: (key) => onCreated({ key }),
    onError: (error) => {
      const issue = isGuideError(error, 'request/invalid') && error.issues?.[0];
      if (issue) form.setFieldError(issue.path === 'body.name' ? 'name' : 'scopes', issueText(issue));
      return Boolean(issue);
    },
  });
  return (
    <Modal opened onClose={close} title={t('newTitle')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit((values) => create.mutate(values))} noValidate>
        <Stack>
          <TextInput
            label={t('name')}
            description={t('nameHint')}
            autoComplete="off"
            data-autofocus
            dir="auto"
            {...form.getInputProps('name')}
          />
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
          <DialogButtons cancel={close}>
            <Button type="submit" loading={create.isPending}>
              {t('create')}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}

/** A new key with its secret, and the key it replaces. */
type CreatedKey = {
  readonly key: ApiKeyCreated;
  readonly replaces?: { readonly id: string; readonly lastFour: string };
};

function useRevokeOffer() {
  const t = useTranslations('apiKeys');
  const revoke = useRevoke();
  return ({ id, lastFour }: NonNullable<CreatedKey['replaces']>) =>
    modals.openConfirmModal({
      title: t('replacedTitle'),
      children: <Text>{t('replacedLead', { lastFour })}</Text>,
      labels: { confirm: t('revoke'), cancel: t('later') },
      confirmProps: { color: 'red' },
      cancelProps: { 'data-autofocus': true },
      onConfirm: () => revoke.mutate(id),
    });
}

/** Shown once; require confirmation before closing. */
function KeyDialog({ created, close }: { readonly created: CreatedKey; readonly close: () => void }) {
  const t = useTranslations('apiKeys');
  const [stored, setStored] = useState(false);
  const offerToRevoke = useRevokeOffer();
  const { key, replaces } = created;
  useLeaveGuard(!stored);
  function finish() {
    close();
    if (replaces) offerToRevoke(replaces);
  }
  return (
    <Modal
      opened
      onClose={close}
      title={t('createdTitle', { name: key.name })}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack>
        <Text>{t('createdLead')}</Text>
        <TextInput
          label={t('key')}
          value={key.key}
          readOnly
          dir="ltr"
          ff="monospace"
          translate="no"
          autoComplete="off"
          spellCheck={false}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyText
          text={key.key}
          label={t('copyKey')}
          variant="filled"
          className="self-start"
          data-autofocus
        />
        <Group justify="space-between">
          <Checkbox
            label={t('stored')}
            checked={stored}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          <Button variant="default" onClick={finish} disabled={!stored}>
            {t('done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
