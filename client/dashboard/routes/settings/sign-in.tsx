import { Alert, Button, Group, PasswordInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { IdentityProviderChange, ProviderTrial, SignInSettings } from '../../../sdk/types.ts';
import { Copied } from '../../components/copied.tsx';
import { Form, trim, useFields } from '../../components/form.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Card, Muted, Note, Page } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useAction, useConfirm } from '../../components/use-action.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';

/** How members sign in: the identity provider of the workspace. */
export default function SignInSettingsPage() {
  const t = useTranslations('settings');
  const { role } = useWorkspace();
  return (
    <Page title={t('tabs.signIn')}>
      {role === 'owner' ? <Provider /> : <Alert color="gray">{t('signIn.ownersOnly')}</Alert>}
    </Page>
  );
}

function Provider() {
  const t = useTranslations('settings.signIn');
  const query = useTenantQuery(['sign-in'], (tenant, options) => tenant.identityProvider.read(options));
  return (
    <Loaded query={query}>
      {(settings) => (
        <Stack>
          <Card isRegion title={t('title')} lead={t('lead')}>
            <Copied label={t('callback')} text={settings.callbackUrl} />
            <Note>{t('callbackHint')}</Note>
            <ProviderForm key={settings.provider?.changedAt} settings={settings} />
          </Card>
          {settings.domains.length > 0 && <Domains domains={settings.domains} />}
        </Stack>
      )}
    </Loaded>
  );
}

const MODES = ['off', 'optional', 'required'] as const satisfies readonly IdentityProviderChange['mode'][];
const ROLES = ['member', 'admin'] as const satisfies readonly IdentityProviderChange['defaultRole'][];
const DOMAIN = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$/;
const GROUP_ROLE = /^(.+)=(admin|member)$/;

type ProviderValues = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  domains: string;
  mode: (typeof MODES)[number];
  defaultRole: (typeof ROLES)[number];
  groupsClaim: string;
  groupRoles: string;
};

const splitLines = (text: string) => text.split('\n').map(trim).filter(Boolean);
const splitDomains = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

const toChange = ({
  clientSecret,
  domains,
  groupRoles,
  ...values
}: ProviderValues): IdentityProviderChange => ({
  ...values,
  clientSecret: clientSecret || undefined,
  domains: splitDomains(domains),
  groupRoles: splitLines(groupRoles).map((line) => {
    const [, group = '', role] = GROUP_ROLE.exec(line) ?? [];
    return { group, role: role as (typeof ROLES)[number] };
  }),
});

function ProviderForm({ settings: { provider, domains } }: { settings: SignInSettings }) {
  const t = useTranslations('settings.signIn');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const [trial, setTrial] = useState<ProviderTrial>();
  const needs = (text: string) => text === '' && t('needed');
  const state = useFields<ProviderValues>({
    section: 'settings.signIn',
    initialValues: {
      issuer: provider?.issuer ?? '',
      clientId: provider?.clientId ?? '',
      clientSecret: '',
      domains: domains.map(({ domain }) => domain).join(', '),
      mode: provider?.mode ?? 'optional',
      defaultRole: provider?.defaultRole ?? 'member',
      groupsClaim: provider?.groupsClaim ?? 'groups',
      groupRoles: (provider?.groupRoles ?? []).map(({ group, role }) => `${group}=${role}`).join('\n'),
    },
    fields: [
      { name: 'issuer', as: TextInput, clean: trim, check: needs, input: { dir: 'ltr', inputMode: 'url' } },
      {
        name: 'clientId',
        as: TextInput,
        clean: trim,
        check: needs,
        input: { dir: 'ltr', autoComplete: 'off' },
      },
      {
        name: 'clientSecret',
        as: PasswordInput,
        clean: trim,
        input: { dir: 'ltr', autoComplete: 'off', ...(!provider && { description: undefined }) },
        check: (secret: string) => secret === '' && !provider?.hasSecret && t('secretNeeded'),
        explainIssue: () => t('secretNeeded'),
      },
      {
        name: 'domains',
        as: TextInput,
        input: { dir: 'ltr' },
        check: (text: string) => {
          const all = splitDomains(text);
          return !(all.length > 0 && all.every((domain) => DOMAIN.test(domain))) && t('badDomain');
        },
      },
      {
        name: 'mode',
        as: Select,
        input: { data: MODES.map((value) => ({ value, label: t(`modes.${value}`) })), allowDeselect: false },
      },
      {
        name: 'defaultRole',
        as: Select,
        input: { data: ROLES.map((value) => ({ value, label: t(`roles.${value}`) })), allowDeselect: false },
      },
      { name: 'groupsClaim', as: TextInput, clean: trim, check: needs, input: { dir: 'ltr' } },
      {
        name: 'groupRoles',
        as: Textarea,
        input: { dir: 'ltr', autosize: true, minRows: 2 },
        check: (text: string) => !splitLines(text).every((line) => GROUP_ROLE.test(line)) && t('badGroups'),
      },
    ],
    explain: (error) => isGuideError(error, 'identity_provider/no_proved_domain') && { mode: t('noProof') },
  });
  const changes = ['sign-in'];
  const onError = (error: unknown) => state.showError(error);
  const save = useAction((values: ProviderValues) => tenant.identityProvider.set(toChange(values)), {
    ...{ changes, onError },
    done: t('saved'),
  });
  const remove = useAction(() => tenant.identityProvider.remove(), { changes, done: t('removed') });
  const tryOut = useAction((issuer: string) => tenant.identityProvider.try({ issuer }), {
    onDone: setTrial,
    onError,
  });
  const question = { title: t('removeTitle'), lead: t('removeLead'), confirm: t('remove') };
  return (
    <Form state={state} send={save.mutate} isPending={save.isPending} submitLabel={t('save')}>
      <Group>
        <Button
          variant="default"
          loading={tryOut.isPending}
          onClick={() => tryOut.mutate(state.clean().issuer)}
        >
          {t('try')}
        </Button>
        {provider && (
          <Button
            variant="default"
            loading={remove.isPending}
            onClick={() => confirm(question, remove.mutate)}
          >
            {t('remove')}
          </Button>
        )}
      </Group>
      <div role="status">{trial && <Outcome trial={trial} />}</div>
    </Form>
  );
}

function Outcome({ trial: { problem, status, statedIssuer, signInUrl } }: { trial: ProviderTrial }) {
  const t = useTranslations('settings.signIn');
  const text = problem
    ? t(`problems.${problem as 'no_document'}`, {
        status: status === undefined ? 'none' : String(status),
        issuer: statedIssuer ?? '',
      } as { status: string })
    : t('works', { url: signInUrl ?? '' });
  return (
    <Alert color={problem ? 'red' : 'green'} className="wrap">
      {text}
    </Alert>
  );
}

function Domains({ domains }: Pick<SignInSettings, 'domains'>) {
  const t = useTranslations('settings.signIn');
  return (
    <Card isRegion title={t('proofTitle')} lead={t('proofLead')}>
      {domains.map((domain) => (
        <Domain key={domain.domain} {...domain} />
      ))}
    </Card>
  );
}

function Domain({ domain, record, provedAt }: SignInSettings['domains'][number]) {
  const t = useTranslations('settings.signIn');
  const { tenant } = useWorkspace();
  const [isMissing, setIsMissing] = useState(false);
  const prove = useAction(() => tenant.identityProvider.proveDomain({ domain }), {
    changes: ['sign-in'],
    done: t('checked'),
    onDone: () => setIsMissing(false),
    onError: (error) => {
      const isExpected = isGuideError(error, 'identity_provider/record_not_found');
      setIsMissing(isExpected);
      return isExpected;
    },
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text fw={600}>
          <bdi dir="ltr">{domain}</bdi>
        </Text>
        <StatusBadge color={provedAt ? 'green' : 'orange'} icon={provedAt ? 'check' : 'clock'}>
          {t(provedAt ? 'proved' : 'unproved')}
        </StatusBadge>
      </Group>
      {!provedAt && (
        <>
          <Copied label={t('record')} text={record.name} />
          <Copied label={t('value')} text={record.value} />
          <Button
            variant="default"
            className="self-start"
            loading={prove.isPending}
            onClick={() => prove.mutate()}
            aria-label={`${t('check')} ${domain}`}
          >
            {t('check')}
          </Button>
          <Muted role="status">{isMissing && t('notFound')}</Muted>
        </>
      )}
    </Stack>
  );
}
