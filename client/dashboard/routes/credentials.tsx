import { Button, Checkbox, Modal, Paper, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import { type ComponentProps, type ReactNode, type SubmitEventHandler, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Page as ListPage } from '../../sdk/connection.ts';
import { isGuideError } from '../../sdk/errors.ts';
import { RelativeTime, useActorValues } from '../components/attribution.tsx';
import { ReasonButton } from '../components/buttons.tsx';
import { Icon } from '../components/icon.tsx';
import { DialogButtons, EmptyState, Loaded, Note, Page } from '../components/page.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { type Column, DataTable, LoadMore, type useCursorList } from '../components/table.tsx';
import { LISTED } from '../languages.ts';
import { useWorkspace } from '../session.ts';
import { RequireEditor } from './settings/settings.tsx';
import { useIssueText } from './settings/settings-form.tsx';

/** The fields that API keys and automation sessions have in common. */
export type CredentialValues = {
  name: string;
  /** A day, or empty. */
  expires: string;
  /** Separated by white space or commas. */
  networks: string;
};

/** The part of a form that these fields use; the form may have others. */
type CredentialForm = {
  getInputProps(field: keyof CredentialValues): object;
  setFieldError(field: string, text: string): void;
};

export const toRestrictions = ({ expires, networks }: Omit<CredentialValues, 'name'>) => ({
  ...(expires && { expiresAt: new Date(`${expires}T00:00`).toISOString() }),
  allowedNetworks: networks.split(/[\s,]+/).filter((network) => network !== ''),
});

/** Shows a rejected value at its field, or at `grants` if it is none of the common fields. */
export function useCredentialErrors(form: CredentialForm, grants: string): (error: unknown) => boolean {
  const t = useTranslations();
  const issueText = useIssueText();
  const toField = (path: string) => {
    if (path.startsWith('body.allowedNetworks')) return 'networks';
    if (path === 'body.expiresAt') return 'expires';
    return path === 'body.name' ? 'name' : grants;
  };
  return (error) => {
    const issue = isGuideError(error, 'request/invalid') && error.issues?.[0];
    if (!issue) return false;
    const { code } = issue;
    const hasOwnText = code === 'invalid_network' || code === 'in_the_past';
    const text = hasOwnText
      ? t(`apiKeys.${code}`)
      : code === 'too_late'
        ? t('automation.too_late')
        : issueText(issue);
    form.setFieldError(toField(issue.path), text);
    return true;
  };
}

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
                minWidth={760}
                horizontalSpacing="lg"
                rows={rows}
                getKey={({ id }) => id}
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

type GrantBoxesProps<Grant extends string> = {
  label: string;
  grants: readonly Grant[];
  toText: (grant: Grant) => { label: string; description: string };
} & object;

/** The choice of what a new credential may do. */
export function GrantBoxes<Grant extends string>({
  label,
  grants,
  toText,
  ...input
}: GrantBoxesProps<Grant>) {
  return (
    <Checkbox.Group label={label} {...input}>
      <Stack gap="sm" mt="xs">
        {grants.map((grant) => (
          <Checkbox key={grant} value={grant} {...toText(grant)} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** Asks for a new API key or automation session; `children` are the fields for its permissions. */
export function CredentialDialog({
  form,
  texts,
  isPending,
  onSubmit,
  close,
  children,
}: {
  form: CredentialForm;
  texts: Readonly<
    Record<'title' | 'nameHint' | 'expires' | 'expiresHint' | 'networksHint' | 'create', string>
  >;
  isPending: boolean;
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  close: () => void;
  children: ReactNode;
}) {
  const t = useTranslations('apiKeys');
  return (
    <Modal opened onClose={close} title={texts.title} closeOnClickOutside={false}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <TextInput
            label={t('name')}
            description={texts.nameHint}
            autoComplete="off"
            data-autofocus
            dir="auto"
            {...form.getInputProps('name')}
          />
          {children}
          <TextInput
            type="date"
            label={texts.expires}
            description={texts.expiresHint}
            {...form.getInputProps('expires')}
          />
          <Textarea
            label={t('networks')}
            description={texts.networksHint}
            autosize
            dir="ltr"
            spellCheck={false}
            {...form.getInputProps('networks')}
          />
          <DialogButtons cancel={close}>
            <Button type="submit" loading={isPending}>
              {texts.create}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
