import { Code, NativeSelect, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { Form, isEmail, trim, useFields } from '../components/form.tsx';
import { Loading } from '../components/loading.tsx';
import { CenteredPage } from '../components/page.tsx';
import { useNewPassword } from '../components/password.tsx';
import { languageChoices } from '../languages.ts';
import { completeOrigin } from '../origin.ts';
import { account, startSession } from '../session.ts';
import { isDeadLink, useLink, useLinkToken } from './link-token.ts';
import { readWebsite } from './start/read-website.ts';

const CREATE_COMMAND =
  'printf %s "$OWNER_PASSWORD" | npm run -s guidepost -- workspace create --name NAME --domain https://shop.example.com --owner-email EMAIL --owner-password-stdin';

/** Creates the first owner and workspace, from the link that the server prints while no account exists. */
export default function SetupPage() {
  const t = useTranslations('setup');
  const token = useLinkToken();
  const [usedToken, setUsedToken] = useState<string>();
  const link = useLink('setup', token, account.readSetupLink);
  if (token === undefined) {
    return (
      <CenteredPage title={t('incompleteTitle')}>
        <Text>{t('incompleteLead')}</Text>
      </CenteredPage>
    );
  }
  if (link.isPending) {
    return (
      <CenteredPage title={t('title')}>
        <Loading />
      </CenteredPage>
    );
  }
  if (usedToken === token || isDeadLink(link.error, 'setup/not_found')) return <ExpiredSetup />;
  // Any other error still shows the form: submitting it retries.
  return (
    <CenteredPage title={t('title')} lead={t('lead')}>
      <SetupForm key={token} token={token} onExpired={() => setUsedToken(token)} />
    </CenteredPage>
  );
}

function ExpiredSetup() {
  const t = useTranslations('setup');
  return (
    <CenteredPage key="expired" title={t('expiredTitle')}>
      <Stack>
        <Text>{t('expiredLead')}</Text>
        <Text>{t('expiredRestart')}</Text>
        <Text>{t('expiredCommand')}</Text>
        <Code block dir="ltr" translate="no" className="wrapped">
          {CREATE_COMMAND}
        </Code>
        <Text>{t('expiredInvitation')}</Text>
      </Stack>
    </CenteredPage>
  );
}

const INITIAL = { email: '', password: '', workspaceName: '', origin: '', sourceLocale: '' };

function SetupForm({ token, onExpired }: { token: string; onExpired: () => void }) {
  const t = useTranslations('setup');
  const navigate = useNavigate();
  const state = useSetupFields();
  async function create({ origin, ...values }: typeof INITIAL) {
    try {
      const allowedOrigins = [completeOrigin(origin) ?? origin];
      const session = await account.setUp({ token, allowedOrigins, ...values });
      // The new owner may also have received older workspaces, such as the demo. Ids sort by creation.
      const { tenantId } = session.memberships.reduce((newest, each) =>
        each.tenantId > newest.tenantId ? each : newest,
      );
      startSession(session);
      // The next page says what hinders it.
      await readWebsite(account.tenant(tenantId), allowedOrigins[0]!).catch(() => undefined);
      await navigate({ to: '/w/$tenantId/start', params: { tenantId } });
    } catch (reason) {
      if (!isDeadLink(reason, 'setup/not_found')) throw reason;
      onExpired();
    }
  }
  return <Form state={state} send={create} submitLabel={t('submit')} />;
}

function useSetupFields() {
  const t = useTranslations('setup');
  const locale = useLocale();
  return useFields({
    section: 'setup',
    initialValues: { ...INITIAL, sourceLocale: new Intl.Locale(locale).language },
    fields: [
      {
        name: 'email',
        as: TextInput,
        input: { id: 'email', type: 'email', autoComplete: 'username' },
        clean: trim,
        check: (email: string) => !isEmail(email) && t('needEmail'),
        explainIssue: () => t('needEmail'),
      },
      useNewPassword('password', t('needPassword'), { input: { id: 'password' } }),
      {
        name: 'workspaceName',
        as: TextInput,
        input: { id: 'workspace-name', autoComplete: 'organization', dir: 'auto' },
        check: (name: string) => !/\S/.test(name) && t('needWorkspaceName'),
      },
      {
        name: 'origin',
        path: 'allowedOrigins',
        as: OriginInput,
        check: (origin: string) => !completeOrigin(origin) && t('needOrigin'),
        explainIssue: () => t('needOrigin'),
      },
      {
        name: 'sourceLocale',
        as: NativeSelect,
        input: { id: 'source-locale', data: languageChoices(locale) },
        explainIssue: () => t('needLocale'),
      },
    ],
  });
}

/** Shows the completed origin while typing. */
function OriginInput({ description, ...input }: TextInputProps) {
  const t = useTranslations('setup');
  const origin = completeOrigin(String(input.value));
  return (
    <TextInput
      id="origin"
      inputMode="url"
      autoComplete="url"
      spellCheck={false}
      description={
        <>
          {description} <span aria-live="polite">{origin && t('originAllowed', { origin })}</span>
        </>
      }
      {...input}
    />
  );
}
