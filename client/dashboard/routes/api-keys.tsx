import { Modal, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ApiKey, ApiKeyCreated, NewApiKey } from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { ActionMenu } from '../components/buttons.tsx';
import { Form, useFields } from '../components/form.tsx';
import { Note } from '../components/page.tsx';
import { useCursorList } from '../components/table.tsx';
import { useAction, useConfirm } from '../components/use-action.tsx';
import { useWorkspace } from '../session.ts';
import {
  CheckboxField,
  CreatedCell,
  CredentialDialog,
  CredentialList,
  CredentialPage,
  CredentialStatus,
  type CredentialValues,
  GrantsCell,
  NO_CREDENTIAL,
  toRestrictions,
} from './credentials.tsx';
export default function ApiKeysPage() {
  const t = useTranslations('apiKeys');
  return (
    <CredentialPage<ApiKeyCreated>
      title={t('title')}
      lead={t('lead')}
      newLabel={t('new')}
      dialog={(close, onCreated) => <CreateKeyDialog close={close} onCreated={onCreated} />}
      toSecret={({ name, key }) => ({
        title: t('createdTitle', { name }),
        lead: t('createdLead'),
        label: t('key'),
        secret: key,
        copyLabel: t('copyKey'),
        storedLabel: t('stored'),
      })}
    >
      {(onCreated) => <Keys onCreated={onCreated} />}
    </CredentialPage>
  );
}

type KeysProps = { onCreated: (key: ApiKeyCreated) => void };

function Keys({ onCreated }: KeysProps) {
  const t = useTranslations('apiKeys');
  const list = useCursorList(['api-keys'], (tenant) => tenant.apiKeys.list());
  return (
    <CredentialList
      list={list}
      hasEnded={hasEnded}
      texts={{
        caption: t('caption'),
        empty: t('empty'),
        emptyLead: t('emptyLead'),
        showEnded: t('showRevoked'),
      }}
      columns={[
        {
          label: t('key'),
          cell: ({ name, lastFour }) => (
            <>
              <bdi className="wrap">{name || t('unnamed')}</bdi>
              <Note>{t.rich('endsIn', { lastFour })}</Note>
            </>
          ),
        },
        {
          label: t('scopes'),
          className: 'whole',
          cell: ({ scopes, allowedNetworks }) => (
            <GrantsCell grants={scopes.map((scope) => t(`scopeNames.${scope}`))} networks={allowedNetworks} />
          ),
        },
        { label: t('created'), cell: (key) => <CreatedCell {...key} /> },
        {
          label: t('lastUsed'),
          cell: ({ lastUsedAt, lastUsedNetwork }) => (
            <>
              {lastUsedAt ? <RelativeTime at={lastUsedAt} /> : t('neverUsed')}
              {lastUsedNetwork && (
                <Note>
                  <bdi dir="ltr">{lastUsedNetwork}</bdi>
                </Note>
              )}
            </>
          ),
        },
        { label: t('status'), cell: (key) => <KeyStatus apiKey={key} /> },
        {
          label: t('actions'),
          cell: (key) => !hasEnded(key) && <KeyActions apiKey={key} onCreated={onCreated} />,
        },
      ]}
    />
  );
}

const hasEnded = ({ revokedAt, expiresAt }: ApiKey) =>
  revokedAt !== undefined || (expiresAt !== undefined && Date.parse(expiresAt) <= Date.now());

function KeyStatus({ apiKey }: { apiKey: ApiKey }) {
  const t = useTranslations('apiKeys');
  const { revokedAt, expiresAt, replacedBy } = apiKey;
  const isEnded = hasEnded(apiKey);
  const text = t(revokedAt ? 'revoked' : isEnded ? 'expired' : replacedBy ? 'replaced' : 'active');
  return <CredentialStatus isActive={!isEnded} text={text} at={revokedAt ?? expiresAt} />;
}

function KeyActions({ apiKey, onCreated }: KeysProps & { apiKey: ApiKey }) {
  const t = useTranslations('apiKeys');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const [rotating, setRotating] = useState(false);
  const { id, lastFour, replacedBy } = apiKey;
  const name = apiKey.name || t('unnamed');
  const revoke = useAction(() => tenant.apiKeys.revoke(id), { changes: ['api-keys'], done: t('revokedNow') });
  const question = {
    title: t('revokeTitle', { name }),
    lead: t('revokeLead', { lastFour }),
    confirm: t('revoke'),
  };
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
      <ActionMenu
        label={t('actionsFor', { name })}
        loading={revoke.isPending}
        actions={[
          !replacedBy && { label: t('rotate'), icon: 'refresh', run: () => setRotating(true) },
          {
            label: t('revoke'),
            icon: 'ban',
            isDangerous: true,
            run: () => confirm(question, revoke.mutate),
          },
        ]}
      />
    </>
  );
}

type DialogProps = KeysProps & { close: () => void };

/** Seconds for which the old key keeps working. */
const OVERLAPS = { now: 0, hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 } as const;

function RotateDialog({ apiKey, close, onCreated }: DialogProps & { apiKey: ApiKey }) {
  const t = useTranslations('apiKeys');
  const { tenant } = useWorkspace();
  const data = (Object.keys(OVERLAPS) as (keyof typeof OVERLAPS)[]).map((value) => ({
    value,
    label: t(`overlaps.${value}`),
  }));
  const state = useFields<{ overlap: keyof typeof OVERLAPS }>({
    section: 'apiKeys',
    initialValues: { overlap: 'week' },
    fields: [{ name: 'overlap', as: Select, input: { data, allowDeselect: false, 'data-autofocus': true } }],
  });
  const rotate = useAction(
    ({ overlap }: typeof state.form.values) =>
      tenant.apiKeys.rotate(apiKey.id, { overlapSeconds: OVERLAPS[overlap] }),
    { changes: ['api-keys'], onDone: (key) => onCreated(key) },
  );
  return (
    <Modal opened onClose={close} title={t('rotateTitle', { name: apiKey.name || t('unnamed') })}>
      <Form
        state={state}
        send={rotate.mutate}
        isPending={rotate.isPending}
        lead={<Text>{t('rotateLead')}</Text>}
        submitLabel={t('rotateNow')}
        cancel={close}
      />
    </Modal>
  );
}

const SCOPES = ['analytics:read', 'events:read', 'knowledge:read'] as const;

type KeyValues = CredentialValues & Pick<NewApiKey, 'scopes'>;

function CreateKeyDialog(props: DialogProps) {
  const t = useTranslations('apiKeys');
  const { tenant } = useWorkspace();
  const choices = SCOPES.map((value) => ({
    value,
    label: t(`scopeNames.${value}`),
    description: t(`scopeHints.${value}`),
  }));
  return (
    <CredentialDialog<KeyValues, ApiKeyCreated>
      section="apiKeys"
      title={t('newTitle')}
      initialValues={{ ...NO_CREDENTIAL, scopes: ['analytics:read'] }}
      grants={[
        {
          name: 'scopes',
          as: CheckboxField,
          input: { choices },
          check: (scopes: KeyValues['scopes']) => scopes.length === 0 && t('needScope'),
        },
      ]}
      create={({ name, scopes, ...limits }) =>
        tenant.apiKeys.create({ name, scopes, ...toRestrictions(limits) })
      }
      changes={['api-keys']}
      {...props}
    />
  );
}
