import { Button, Modal, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ApiKey, ApiKeyCreated, NewApiKey } from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { ActionMenu } from '../components/buttons.tsx';
import { DialogButtons, Note } from '../components/page.tsx';
import { useCursorList } from '../components/table.tsx';
import { useAction, useConfirm } from '../components/use-action.tsx';
import { useWorkspace } from '../session.ts';
import {
  CreatedCell,
  CredentialDialog,
  CredentialList,
  CredentialPage,
  CredentialStatus,
  type CredentialValues,
  GrantBoxes,
  GrantsCell,
  toRestrictions,
  useCredentialErrors,
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
  const [overlap, setOverlap] = useState<keyof typeof OVERLAPS>('week');
  const rotate = useAction(() => tenant.apiKeys.rotate(apiKey.id, { overlapSeconds: OVERLAPS[overlap] }), {
    changes: ['api-keys'],
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

function CreateKeyDialog({ close, onCreated }: DialogProps) {
  const t = useTranslations('apiKeys');
  const { tenant } = useWorkspace();
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
    { changes: ['api-keys'], onDone: (key) => onCreated(key), onError },
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
      <GrantBoxes
        label={t('scopes')}
        grants={SCOPES}
        toText={(scope) => ({ label: t(`scopeNames.${scope}`), description: t(`scopeHints.${scope}`) })}
        {...form.getInputProps('scopes')}
      />
    </CredentialDialog>
  );
}
