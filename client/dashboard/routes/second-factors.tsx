import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ACCOUNT_LIMITS } from '../../../contract/limits/accounts.ts';
import { isGuideError } from '../../sdk/errors.ts';
import type { Passkey, SecondFactors } from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { CopyText } from '../components/buttons.tsx';
import { Form, trim, useFields } from '../components/form.tsx';
import { Loaded } from '../components/loading.tsx';
import { Card, Muted } from '../components/page.tsx';
import { useCodeField, useFactorErrorText } from '../components/second-step.tsx';
import { SecretDialog } from '../components/secret-dialog.tsx';
import { DataTable } from '../components/table.tsx';
import { showToast, useAction, useConfirm } from '../components/use-action.tsx';
import { canUsePasskeys, createPasskey, isPasskeyError } from '../passkeys.ts';
import { account, queries, showRecoveryCodes, useRecoveryCodes } from '../session.ts';

/** Passkeys, the authenticator app and the recovery codes of the user. */

const { secondFactors } = account;
const FACTORS = ['second-factors'] as const;
/** The session says which factors there are, and a workspace that requires one opens. */
const refreshAll = () => void queries.invalidateQueries();

/** Shows the recovery codes that come with a first factor before anything else changes. */
function showAdded({ recoveryCodes }: { recoveryCodes?: readonly string[] | undefined }): void {
  showRecoveryCodes(recoveryCodes);
  if (recoveryCodes) void queries.invalidateQueries({ queryKey: FACTORS });
  else refreshAll();
}

export function SecondFactorsCard() {
  const t = useTranslations('factors');
  const factors = useQuery({ queryKey: FACTORS, queryFn: ({ signal }) => secondFactors.read({ signal }) });
  const codes = useRecoveryCodes();
  return (
    <Card title={t('title')} lead={t('lead')}>
      <Loaded query={factors} shape="table">
        {(loaded) => (
          <>
            <Passkeys factors={loaded} />
            <App factors={loaded} />
            <RecoveryCodes factors={loaded} />
          </>
        )}
      </Loaded>
      {codes && (
        <SecretDialog
          title={t('codesTitle')}
          lead={t('codesLead')}
          label={t('codes')}
          secret={codes.join('\n')}
          copyLabel={t('copyCodes')}
          storedLabel={t('codesStored')}
          closeLabel={t('done')}
          close={() => {
            showRecoveryCodes(undefined);
            refreshAll();
          }}
        />
      )}
    </Card>
  );
}

type FactorsProps = { factors: SecondFactors };

function Passkeys({ factors: { passkeys } }: FactorsProps) {
  const t = useTranslations('factors');
  const [isAdding, setIsAdding] = useState(false);
  const errorText = useFactorErrorText();
  const add = useAction(
    async (name: string) => {
      const made = await createPasskey(await secondFactors.startPasskey());
      return secondFactors.addPasskey({ name, ...made });
    },
    {
      done: t('passkeyAdded'),
      onDone: showAdded,
      onError: (error) => {
        const isKnown = isPasskeyError(error) || isGuideError(error, 'session/wrong_factor');
        if (isKnown) showToast(errorText(error), { isError: true });
        return isKnown;
      },
    },
  );
  return (
    <>
      {passkeys.length > 0 && (
        <DataTable
          caption={t('passkeys')}
          minWidth={480}
          rows={passkeys}
          columns={[
            { label: t('passkey'), cell: ({ name }) => <bdi className="wrap">{name}</bdi> },
            { label: t('added'), className: 'nowrap', cell: (row) => <RelativeTime at={row.createdAt} /> },
            {
              label: t('used'),
              className: 'nowrap',
              cell: ({ lastUsedAt }) => (lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('never')),
            },
            { label: t('actions'), cell: (passkey) => <PasskeyActions passkey={passkey} /> },
          ]}
        />
      )}
      {canUsePasskeys ? (
        <Group>
          <Button variant="default" onClick={() => setIsAdding(true)} loading={add.isPending}>
            {t('addPasskey')}
          </Button>
        </Group>
      ) : (
        <Muted>{t('noPasskeys')}</Muted>
      )}
      <NameDialog
        opened={isAdding}
        title={t('addPasskey')}
        lead={t('addPasskeyLead')}
        submitLabel={t('continue')}
        send={(name) => {
          setIsAdding(false);
          add.mutate(name);
        }}
        close={() => setIsAdding(false)}
      />
    </>
  );
}

function PasskeyActions({ passkey: { id, name } }: { passkey: Passkey }) {
  const t = useTranslations('factors');
  const [isRenaming, setIsRenaming] = useState(false);
  const rename = useAction((to: string) => secondFactors.renamePasskey(id, { name: to }), {
    done: t('renamed'),
    onDone: refreshAll,
  });
  return (
    <Group gap="xs" wrap="nowrap">
      <Button variant="default" onClick={() => setIsRenaming(true)} aria-label={t('renameOne', { name })}>
        {t('rename')}
      </Button>
      <RemoveButton name={name} remove={() => secondFactors.removePasskey(id)} />
      <NameDialog
        opened={isRenaming}
        title={t('renameOne', { name })}
        initial={name}
        submitLabel={t('rename')}
        send={(to) => {
          setIsRenaming(false);
          rename.mutate(to);
        }}
        close={() => setIsRenaming(false)}
      />
    </Group>
  );
}

type NameDialogProps = {
  opened: boolean;
  title: string;
  lead?: string;
  initial?: string;
  submitLabel: string;
  send: (name: string) => void;
  close: () => void;
};

function NameDialog({ opened, title, lead, initial = '', submitLabel, send, close }: NameDialogProps) {
  const t = useTranslations('factors');
  const state = useFields({
    section: 'factors',
    initialValues: { name: initial },
    fields: [
      {
        name: 'name',
        as: TextInput,
        input: { maxLength: ACCOUNT_LIMITS.passkeyNameCharsMax, 'data-autofocus': true },
        clean: trim,
        check: (name: string) => name === '' && t('needName'),
      },
    ],
  });
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Form
        state={state}
        send={({ name }) => send(name)}
        lead={lead && <Text>{lead}</Text>}
        submitLabel={submitLabel}
        cancel={close}
      />
    </Modal>
  );
}

function RemoveButton({ name, remove }: { name: string; remove: () => Promise<unknown> }) {
  const t = useTranslations('factors');
  const confirm = useConfirm();
  const action = useAction(remove, {
    done: t('removed'),
    onDone: refreshAll,
    onError: (error) => {
      const isLast = isGuideError(error, 'session/last_factor');
      if (isLast) showToast(t('lastFactor'), { isError: true });
      return isLast;
    },
  });
  const question = { title: t('removeOne', { name }), lead: t('removeLead'), confirm: t('remove') };
  return (
    <Button
      variant="default"
      onClick={() => confirm(question, () => action.mutate())}
      loading={action.isPending}
      aria-label={question.title}
    >
      {t('remove')}
    </Button>
  );
}

function App({ factors: { authenticatorApp } }: FactorsProps) {
  const t = useTranslations('factors');
  const start = useAction(() => secondFactors.startApp());
  return (
    <Row
      title={t('app')}
      state={
        authenticatorApp ? (
          <>
            {t('appSince')} <RelativeTime at={authenticatorApp.createdAt} />
          </>
        ) : (
          t('appLead')
        )
      }
    >
      <Button variant="default" onClick={() => start.mutate()} loading={start.isPending}>
        {t(authenticatorApp ? 'replaceApp' : 'addApp')}
      </Button>
      {authenticatorApp && <RemoveButton name={t('app')} remove={() => secondFactors.removeApp()} />}
      <Modal opened={start.data !== undefined} onClose={() => start.reset()} title={t('addApp')}>
        {start.data && <AppForm {...start.data} close={() => start.reset()} />}
      </Modal>
    </Row>
  );
}

type AppFormProps = { secret: string; uri: string; close: () => void };

function AppForm({ secret, uri, close }: AppFormProps) {
  const t = useTranslations('factors');
  const errorText = useFactorErrorText();
  const add = useAction(secondFactors.addApp, {
    done: t('appAdded'),
    onDone: (added) => {
      close();
      showAdded(added);
    },
    onError: () => true,
  });
  const state = useFields({
    section: 'factors',
    initialValues: { code: '' },
    fields: [
      useCodeField('code', {
        input: { description: t('appCodeHint'), inputMode: 'numeric', 'data-autofocus': true },
      }),
    ],
    explain: (error) => ({ code: errorText(error) }),
  });
  return (
    <Stack>
      <Text>{t('scan')}</Text>
      <QrCode text={uri} />
      <Group gap="xs">
        <Text ff="monospace" size="sm" dir="ltr" translate="no" className="wrap">
          {secret.match(/.{1,4}/g)?.join(' ')}
        </Text>
        <CopyText text={secret} label={t('copySecret')} />
      </Group>
      <Form
        state={state}
        send={({ code }) => add.mutateAsync({ code })}
        submitLabel={t('turnOn')}
        cancel={close}
      />
    </Stack>
  );
}

/** Loaded with the dialog. Black on white in both themes, as cameras expect. */
function QrCode({ text }: { text: string }) {
  const t = useTranslations('factors');
  const { data } = useQuery({
    queryKey: ['qr-code', text],
    queryFn: async () => (await import('uqr')).encode(text, { border: 2 }),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (!data) return null;
  const path = data.data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg viewBox={`0 0 ${data.size} ${data.size}`} width={208} height={208} role="img" aria-label={t('qr')}>
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

function RecoveryCodes({ factors: { passkeys, authenticatorApp, recoveryCodesLeft } }: FactorsProps) {
  const t = useTranslations('factors');
  const confirm = useConfirm();
  const renew = useAction(() => secondFactors.renewRecoveryCodes(), { onDone: showAdded });
  if (passkeys.length === 0 && !authenticatorApp) return null;
  const question = { title: t('renewTitle'), lead: t('renewLead'), confirm: t('renew'), isHarmless: true };
  return (
    <Row title={t('codes')} state={t('codesLeft', { count: recoveryCodesLeft })}>
      <Button
        variant="default"
        onClick={() => confirm(question, () => renew.mutate())}
        loading={renew.isPending}
      >
        {t('renew')}
      </Button>
    </Row>
  );
}

function Row({ title, state, children }: { title: string; state: ReactNode; children: ReactNode }) {
  return (
    <Group justify="space-between" align="center">
      <Stack gap={2}>
        <Text fw={600}>{title}</Text>
        <Muted component="div">{state}</Muted>
      </Stack>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
