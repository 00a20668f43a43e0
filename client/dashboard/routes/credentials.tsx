import { Checkbox, Modal, Paper, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Page as ListPage } from '../../sdk/connection.ts';
import { RelativeTime, useActorValues } from '../components/attribution.tsx';
import { ReasonButton } from '../components/buttons.tsx';
import { type Field, Form, useFields, type Values } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/loading.tsx';
import { EmptyState, Note, Page } from '../components/page.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { type Column, DataTable, LoadMore, type useCursorList } from '../components/table.tsx';
import { useAction } from '../components/use-action.tsx';
import { LISTED } from '../languages.ts';
import { useWorkspace } from '../session.ts';
import { RequireEditor } from './settings/settings.tsx';

/** The fields that API keys and automation sessions have in common. */
export type CredentialValues = {
  name: string;
  /** A day, or empty. */
  expires: string;
  /** Separated by white space or commas. */
  networks: string;
};

export const NO_CREDENTIAL: CredentialValues = { name: '', expires: '', networks: '' };

export const toRestrictions = ({ expires, networks }: Omit<CredentialValues, 'name'>) => ({
  expiresAt: expires === '' ? undefined : new Date(`${expires}T00:00`).toISOString(),
  allowedNetworks: networks.split(/[\s,]+/).filter((network) => network !== ''),
});

type CredentialPageProps<Created> = {
  title: string;
  lead: string;
  newLabel: string;
  /** Why the user may not create one. */
  reason?: string | undefined;
  /** The dialog that asks for a new one. */
  dialog: (close: () => void, onCreated: (created: Created) => void) => ReactNode;
  toSecret: (created: Created) => Omit<ComponentProps<typeof SecretDialog>, 'close' | 'closeLabel'>;
  children: (onCreated: (created: Created) => void) => ReactNode;
};

/** A page of credentials, which shows the secret of a new one once. */
export function CredentialPage<Created>(props: CredentialPageProps<Created>) {
  const { title, lead, newLabel, reason, dialog, toSecret, children } = props;
  const t = useTranslations('apiKeys');
  const { canEdit } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const [created, setCreated] = useState<Created>();
  const show = (credential: Created) => {
    setOpened(false);
    setCreated(credential);
  };
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        canEdit && (
          <ReasonButton leftSection={<Icon name="plus" />} onClick={() => setOpened(true)} reason={reason}>
            {newLabel}
          </ReasonButton>
        )
      }
    >
      <RequireEditor>
        {children(show)}
        {opened && dialog(() => setOpened(false), show)}
        {created !== undefined && (
          <SecretDialog {...toSecret(created)} closeLabel={t('done')} close={() => setCreated(undefined)} />
        )}
      </RequireEditor>
    </Page>
  );
}

type CredentialListProps<Row> = {
  list: ReturnType<typeof useCursorList<ListPage<Row>>>;
  hasEnded: (row: Row) => boolean;
  columns: readonly Column<Row>[];
  texts: Readonly<Record<'caption' | 'empty' | 'emptyLead' | 'showEnded', string>>;
};

/** Credentials, newest first. Those that have ended are shown on demand. */
export function CredentialList<Row extends { id: string }>(props: CredentialListProps<Row>) {
  const { list, hasEnded, columns, texts } = props;
  const [showEnded, setShowEnded] = useState(false);
  const rows = list.rows.filter((row) => showEnded || !hasEnded(row));
  return (
    <Loaded query={list} shape="table">
      {() => (
        <Stack>
          {rows.length === 0 ? (
            <EmptyState title={texts.empty} lead={texts.emptyLead} />
          ) : (
            <Paper withBorder>
              <DataTable
                caption={texts.caption}
                isRegion
                minWidth={640}
                horizontalSpacing="md"
                rows={rows}
                columns={columns}
              />
            </Paper>
          )}
          {(showEnded || rows.length < list.rows.length) && (
            <Switch
              label={texts.showEnded}
              checked={showEnded}
              onChange={(event) => setShowEnded(event.currentTarget.checked)}
            />
          )}
          <LoadMore list={list} />
        </Stack>
      )}
    </Loaded>
  );
}

type StatusProps = { isActive: boolean; text: string; at: string | undefined };

/** The status of a credential, and when it ends or has ended. */
export function CredentialStatus({ isActive, text, at }: StatusProps) {
  const t = useTranslations('apiKeys');
  return (
    <>
      <StatusBadge color={isActive ? 'green' : 'gray'} icon={isActive ? 'circle-check' : 'ban'}>
        {text}
      </StatusBadge>
      {at && (
        <Note>
          {isActive && `${t('ends')} `}
          <RelativeTime at={at} exact={isActive} />
        </Note>
      )}
    </>
  );
}

export function CreatedCell({ createdAt, createdBy }: { createdAt: string; createdBy: string }) {
  const t = useTranslations('apiKeys');
  const actorValues = useActorValues();
  return (
    <>
      <RelativeTime at={createdAt} />
      <Note>{t.rich('createdBy', actorValues(createdBy))}</Note>
    </>
  );
}

/** What a credential may do, and from where. */
export function GrantsCell({ grants, networks }: { grants: readonly string[]; networks: readonly string[] }) {
  const t = useTranslations('apiKeys');
  const format = useFormatter();
  return (
    <>
      {format.list(grants, LISTED)}
      {networks.length > 0 && (
        <Note>
          {t('onlyFrom')} <bdi dir="ltr">{format.list(networks, LISTED)}</bdi>
        </Note>
      )}
    </>
  );
}

type CheckboxFieldProps = { choices: readonly { value: string; label: string; description: string }[] };

/** Any of few choices, all of which are shown. */
export function CheckboxField({ choices, ...group }: CheckboxFieldProps) {
  return (
    <Checkbox.Group {...group}>
      <Stack gap="sm" mt="xs">
        {choices.map((choice) => (
          <Checkbox key={choice.value} {...choice} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

type CredentialDialogProps<V extends Values & CredentialValues, Created> = {
  section: 'apiKeys' | 'automation';
  title: string;
  initialValues: V;
  /** The fields for what it may do. */
  grants: readonly Field<V>[];
  create: (values: V) => Promise<Created>;
  /** The queries of the list. */
  changes: readonly string[];
  onCreated: (created: Created) => void;
  close: () => void;
};

/** Asks for a new API key or automation session. */
export function CredentialDialog<V extends Values & CredentialValues, Created>(
  props: CredentialDialogProps<V, Created>,
) {
  const { section, title, initialValues, grants, create, changes, onCreated, close } = props;
  const t = useTranslations();
  const state = useFields<V>({
    section,
    initialValues,
    fields: [
      {
        name: 'name',
        as: TextInput,
        input: { label: t('apiKeys.name'), autoComplete: 'off', 'data-autofocus': true, dir: 'auto' },
        check: (name: string) => !/\S/.test(name) && t('apiKeys.needName'),
      },
      ...grants,
      {
        name: 'expires',
        path: 'expiresAt',
        as: TextInput,
        input: { type: 'date' },
        explainIssue: ({ code }) => {
          if (code === 'in_the_past') return t('apiKeys.in_the_past');
          return code === 'too_late' ? t('automation.too_late') : undefined;
        },
      },
      {
        name: 'networks',
        path: 'allowedNetworks',
        as: Textarea,
        input: { label: t('apiKeys.networks'), autosize: true, dir: 'ltr', spellCheck: false },
        explainIssue: ({ code }) => (code === 'invalid_network' ? t('apiKeys.invalid_network') : undefined),
      },
    ],
  });
  const creation = useAction(create, { changes, onDone: onCreated, onError: state.showError });
  return (
    <Modal opened onClose={close} title={title} closeOnClickOutside={false}>
      <Form
        state={state}
        send={creation.mutate}
        isPending={creation.isPending}
        submitLabel={t(`${section}.create`)}
        cancel={close}
      />
    </Modal>
  );
}
