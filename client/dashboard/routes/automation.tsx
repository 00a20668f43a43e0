import { Checkbox, Paper, Select, Stack, Switch, Table, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { modals } from '@mantine/modals';
import { IconBan, IconCircleCheck, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type {
  AutomationArea,
  AutomationSession,
  AutomationSessionCreated,
  MemberRole,
} from '../../sdk/types.ts';
import { RelativeTime, useActorValues } from '../components/attribution.tsx';
import { LISTED, LoadMore, useCursorList } from '../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../components/page.tsx';
import { ReasonButton } from '../components/reason-button.tsx';
import { RegionTable } from '../components/region-table.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { useAction } from '../components/use-action.tsx';
import { ROLES, useWorkspace } from '../session.ts';
import {
  CredentialDialog,
  type CredentialValues,
  toRestrictions,
  useCredentialErrors,
} from './credential-dialog.tsx';
import { RequireEditor } from './settings/settings.tsx';

/** Sessions with which programs change the workspace. */
export function AutomationPage() {
  const t = useTranslations('automation');
  const { canEdit, role } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const [created, setCreated] = useState<AutomationSessionCreated>();
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        canEdit && (
          <ReasonButton
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setOpened(true)}
            reason={role === 'owner' ? undefined : t('ownersOnly')}
          >
            {t('new')}
          </ReasonButton>
        )
      }
    >
      <RequireEditor>
        <Sessions />
        {opened && (
          <CreateDialog
            close={() => setOpened(false)}
            onCreated={(session) => {
              setOpened(false);
              setCreated(session);
            }}
          />
        )}
        {created && (
          <SecretDialog
            title={t('createdTitle', { name: created.name })}
            lead={t('createdLead')}
            label={t('token')}
            secret={created.token}
            copyLabel={t('copyToken')}
            storedLabel={t('stored')}
            close={() => setCreated(undefined)}
          />
        )}
      </RequireEditor>
    </Page>
  );
}

const toListKey = (tenantId: string) => ['tenant', tenantId, 'automation-sessions'];

function Sessions() {
  const t = useTranslations('automation');
  const { tenant, tenantId } = useWorkspace();
  const [showEnded, setShowEnded] = useState(false);
  const list = useCursorList([...toListKey(tenantId), 'list'], tenant.automationSessions.list());
  if (list.isPending) return <Loading shape="table" />;
  if (list.isError) return <ErrorMessage error={list.error} retry={list.refetch} />;
  const rows = list.rows.filter(({ active }) => showEnded || active);
  return (
    <Stack>
      {rows.length === 0 ? (
        <EmptyState title={t('empty')} lead={t('emptyLead')} />
      ) : (
        <SessionTable rows={rows} />
      )}
      {(showEnded || rows.length < list.rows.length) && (
        <Switch
          label={t('showEnded')}
          checked={showEnded}
          onChange={(event) => setShowEnded(event.currentTarget.checked)}
        />
      )}
      <LoadMore list={list} />
    </Stack>
  );
}

function SessionTable({ rows }: { rows: readonly AutomationSession[] }) {
  const t = useTranslations('automation');
  const k = useTranslations('apiKeys');
  return (
    <Paper withBorder>
      <RegionTable
        caption={t('caption')}
        minWidth={760}
        horizontalSpacing="lg"
        columns={[t('session'), t('allowed'), k('created'), k('lastUsed'), k('status'), k('actions')]}
      >
        {rows.map((row) => (
          <SessionRow key={row.id} session={row} />
        ))}
      </RegionTable>
    </Paper>
  );
}

function SessionRow({ session }: { session: AutomationSession }) {
  const t = useTranslations();
  const format = useFormatter();
  const actorValues = useActorValues();
  const { name, role, areas, allowedNetworks, mayApproveOwn, createdAt, createdBy, lastSeenAt } = session;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        <bdi className="wrap">{name}</bdi>
        <Text size="xs" c="dimmed">
          {t(`shell.roles.${role}`)}
        </Text>
      </Table.Th>
      <Table.Td>
        {format.list(
          areas.map((area) => t(`automation.areaNames.${area}`)),
          LISTED,
        )}
        {mayApproveOwn && (
          <Text size="xs" c="dimmed">
            {t('automation.mayApproveOwn')}
          </Text>
        )}
        {allowedNetworks.length > 0 && (
          <Text size="xs" c="dimmed" component="div">
            {t('apiKeys.onlyFrom')} <bdi dir="ltr">{format.list(allowedNetworks, LISTED)}</bdi>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={createdAt} />
        <Text size="xs" c="dimmed" component="div">
          {t.rich('apiKeys.createdBy', actorValues(createdBy))}
        </Text>
      </Table.Td>
      <Table.Td>
        {lastSeenAt && lastSeenAt !== createdAt ? (
          <RelativeTime at={lastSeenAt} />
        ) : (
          session.active && t('apiKeys.neverUsed')
        )}
      </Table.Td>
      <Table.Td>
        <SessionStatus session={session} />
      </Table.Td>
      <Table.Td>{session.active && <EndButton session={session} />}</Table.Td>
    </Table.Tr>
  );
}

function SessionStatus({ session: { active, expiresAt } }: { session: AutomationSession }) {
  const t = useTranslations();
  return (
    <>
      <StatusBadge color={active ? 'green' : 'gray'} icon={active ? IconCircleCheck : IconBan}>
        {active ? t('apiKeys.active') : t('automation.ended')}
      </StatusBadge>
      {active && (
        <Text size="xs" c="dimmed" component="div">
          {t('apiKeys.ends')} <RelativeTime at={expiresAt} exact />
        </Text>
      )}
    </>
  );
}

function EndButton({ session: { id, name, createdBy } }: { session: AutomationSession }) {
  const t = useTranslations('automation');
  const s = useTranslations('shell');
  const { tenant, tenantId, memberId } = useWorkspace();
  const end = useAction(() => tenant.automationSessions.end(id), {
    changes: [toListKey(tenantId)],
    done: t('endedNow'),
  });
  const confirmEnd = () =>
    modals.openConfirmModal({
      title: t('endTitle', { name }),
      children: <Text>{t('endLead')}</Text>,
      labels: { confirm: t('end'), cancel: s('cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => end.mutate(),
    });
  return (
    <ReasonButton
      variant="default"
      aria-label={t('endOne', { name })}
      onClick={confirmEnd}
      loading={end.isPending}
      reason={createdBy === memberId ? undefined : t('onlyCreator')}
    >
      {t('end')}
    </ReasonButton>
  );
}

const AREAS = ['articles', 'translations', 'review', 'settings'] as const satisfies readonly AutomationArea[];

type SessionForm = CredentialValues & {
  role: MemberRole;
  areas: AutomationArea[];
  mayApproveOwn: boolean;
};

function useSessionForm() {
  const t = useTranslations();
  return useForm<SessionForm>({
    initialValues: {
      name: '',
      role: 'admin',
      areas: ['articles'],
      expires: '',
      networks: '',
      mayApproveOwn: false,
    },
    validate: {
      name: (value) => (/\S/.test(value) ? null : t('apiKeys.needName')),
      areas: (value) => (value.length > 0 ? null : t('automation.needArea')),
    },
  });
}

type CreateDialogProps = {
  close: () => void;
  onCreated: (session: AutomationSessionCreated) => void;
};

function CreateDialog({ close, onCreated }: CreateDialogProps) {
  const t = useTranslations('automation');
  const { tenant, tenantId } = useWorkspace();
  const form = useSessionForm();
  const onError = useCredentialErrors(form, 'areas');
  const create = useAction(
    ({ name, role, areas, mayApproveOwn, ...limits }: SessionForm) =>
      tenant.automationSessions.create({ name, role, areas, mayApproveOwn, ...toRestrictions(limits) }),
    { changes: [toListKey(tenantId)], onDone: onCreated, onError },
  );
  const texts = {
    title: t('new'),
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
      <GrantFields form={form} />
    </CredentialDialog>
  );
}

/** Role, areas, and whether the session may approve what it wrote. */
function GrantFields({ form }: { form: ReturnType<typeof useSessionForm> }) {
  const t = useTranslations();
  const { areas } = form.getValues();
  return (
    <>
      <Select
        label={t('members.role')}
        description={t('automation.roleHint')}
        allowDeselect={false}
        data={ROLES.map((value) => ({ value, label: t(`shell.roles.${value}`) }))}
        {...form.getInputProps('role')}
      />
      <Checkbox.Group label={t('automation.areas')} {...form.getInputProps('areas')}>
        <Stack gap="sm" mt="xs">
          {AREAS.map((area) => (
            <Checkbox
              key={area}
              value={area}
              label={t(`automation.areaNames.${area}`)}
              description={t(`automation.areaHints.${area}`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {areas.includes('review') && (
        <Checkbox
          label={t('automation.mayApproveOwn')}
          description={t('automation.mayApproveOwnHint')}
          {...form.getInputProps('mayApproveOwn', { type: 'checkbox' })}
        />
      )}
    </>
  );
}
