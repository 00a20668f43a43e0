import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { HelpAddress } from '../../../sdk/types.ts';
import { Copied } from '../../components/copied.tsx';
import { Form, useFields } from '../../components/form.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useAction, useConfirm } from '../../components/use-action.tsx';
import { serviceUrl, useHelpAddress, useWorkspace } from '../../session.ts';

/** The domain of the help centre. The operator may have given one, which wins. */
export function HelpDomainCard() {
  const t = useTranslations('settings.helpDomain');
  const { role } = useWorkspace();
  return (
    <Card isRegion title={t('title')} lead={t('lead')}>
      <Loaded query={useHelpAddress()}>
        {(address) => {
          if (address.isGiven) return <Muted>{t('given', { url: address.url })}</Muted>;
          if (role !== 'owner') return <Alert color="gray">{t('ownersOnly')}</Alert>;
          return (
            <>
              <DomainForm key={address.domain?.domain} {...address} />
              {address.domain && <Proof {...address.domain} />}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

const DOMAIN = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$/;
/** People paste addresses. */
const cleanDomain = (typed: string) =>
  typed
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');

function DomainForm({ domain: current }: HelpAddress) {
  const t = useTranslations('settings.helpDomain');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const state = useFields<{ domain: string }>({
    section: 'settings.helpDomain',
    initialValues: { domain: current?.domain ?? '' },
    fields: [
      {
        name: 'domain',
        as: TextInput,
        clean: cleanDomain,
        check: (domain: string) => !DOMAIN.test(domain) && t('badDomain'),
        explainIssue: () => t('badDomain'),
        input: { dir: 'ltr', inputMode: 'url', autoComplete: 'off', spellCheck: false, maw: 520 },
      },
    ],
    explain: (error) => isGuideError(error, 'help_domain/not_available') && { domain: t('notAvailable') },
  });
  const changes = ['help-domain'];
  const onError = (error: unknown) => state.showError(error);
  const save = useAction(tenant.helpDomain.set, { ...{ changes, onError }, done: t('saved') });
  const remove = useAction(() => tenant.helpDomain.remove(), { changes, done: t('removed') });
  const question = { title: t('removeTitle'), lead: t('removeLead'), confirm: t('remove') };
  return (
    <Form
      state={state}
      send={save.mutate}
      isPending={save.isPending}
      submitLabel={t('save')}
      button={{ variant: 'default' }}
    >
      {current && (
        <Button
          variant="default"
          className="self-start"
          loading={remove.isPending}
          onClick={() => confirm(question, remove.mutate)}
        >
          {t('remove')}
        </Button>
      )}
    </Form>
  );
}

function Proof({ domain, record, file, provedAt }: NonNullable<HelpAddress['domain']>) {
  const t = useTranslations('settings.helpDomain');
  const { tenant } = useWorkspace();
  const [isMissing, setIsMissing] = useState(false);
  const prove = useAction(() => tenant.helpDomain.prove({ domain }), {
    changes: ['help-domain'],
    done: t('checked'),
    onDone: () => setIsMissing(false),
    onError: (error) => {
      const isExpected = isGuideError(error, 'help_domain/not_proved');
      setIsMissing(isExpected);
      return isExpected;
    },
  });
  return (
    <Stack gap="xs">
      <Group>
        <StatusBadge color={provedAt ? 'green' : 'orange'} icon={provedAt ? 'check' : 'clock'}>
          {t(provedAt ? 'proved' : 'unproved')}
        </StatusBadge>
      </Group>
      <Muted>{t('point', { domain, host: new URL(serviceUrl).hostname })}</Muted>
      {!provedAt && (
        <>
          <Muted>{t('proofLead')}</Muted>
          <Copied label={t('record')} text={record.name} />
          <Copied label={t('value')} text={record.value} />
          <Copied label={t('file')} text={file.url} />
          <Copied label={t('content')} text={file.content} />
          <Group>
            <Button variant="default" loading={prove.isPending} onClick={() => prove.mutate()}>
              {t('check')}
            </Button>
          </Group>
          <Muted role="status">{isMissing && t('notFound')}</Muted>
        </>
      )}
    </Stack>
  );
}
