import { Button, Code, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { CenteredPage, FormError, Loading, useErrorText } from '../components/page.tsx';
import { NewPasswordInput, useNewPasswordCheck, usePasswordErrorText } from '../components/password.tsx';
import { languageChoices } from '../languages.ts';
import { completeOrigin } from '../origin.ts';
import { account, startSession } from '../session.ts';
import { isDeadLink, useLink, useLinkToken } from './link-token.ts';

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

type SetupValues = {
  email: string;
  password: string;
  workspaceName: string;
  origin: string;
  sourceLocale: string;
};

function SetupForm({ token, onExpired }: { token: string; onExpired: () => void }) {
  const t = useTranslations('setup');
  const locale = useLocale();
  const { form, error, submit } = useSetupForm(token, onExpired);
  const origin = completeOrigin(form.values.origin);
  return (
    <form onSubmit={submit} noValidate className="touch-form">
      <Stack>
        <FormError error={error} />
        <TextInput
          id="email"
          type="email"
          autoComplete="username"
          maxLength={254}
          label={t('email')}
          description={t('emailHint')}
          {...form.getInputProps('email')}
        />
        <NewPasswordInput id="password" label={t('password')} {...form.getInputProps('password')} />
        <TextInput
          id="workspace-name"
          autoComplete="organization"
          maxLength={200}
          dir="auto"
          label={t('workspaceName')}
          description={t('workspaceNameHint')}
          {...form.getInputProps('workspaceName')}
        />
        <TextInput
          id="origin"
          inputMode="url"
          autoComplete="url"
          spellCheck={false}
          label={t('origin')}
          description={
            <>
              {t('originHint')} <span aria-live="polite">{origin && t('originAllowed', { origin })}</span>
            </>
          }
          {...form.getInputProps('origin')}
        />
        <NativeSelect
          id="source-locale"
          label={t('sourceLocale')}
          description={t('sourceLocaleHint')}
          data={languageChoices(locale)}
          {...form.getInputProps('sourceLocale')}
        />
        <Button type="submit" loading={form.submitting} mih={44}>
          {t('submit')}
        </Button>
      </Stack>
    </form>
  );
}

function useSetupForm(token: string, onExpired: () => void) {
  const t = useTranslations('setup');
  const { language } = new Intl.Locale(useLocale());
  const navigate = useNavigate();
  const errorText = useErrorText();
  const toFieldErrors = useFieldErrors();
  const checkPassword = useNewPasswordCheck();
  const [error, setError] = useState<string>();
  const form = useForm<SetupValues>({
    initialValues: { email: '', password: '', workspaceName: '', origin: '', sourceLocale: language },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('needEmail')),
      password: (value) => (value ? checkPassword(value) : t('needPassword')),
      workspaceName: (value) => (/\S/.test(value) ? null : t('needWorkspaceName')),
      origin: (value) => (completeOrigin(value) ? null : t('needOrigin')),
    },
  });
  const showErrors = (errors: Readonly<Record<string, unknown>>) => {
    const [first] = Object.keys(errors);
    if (first) form.getInputNode(first)?.focus();
  };
  async function create({ email, password, workspaceName, origin, sourceLocale }: SetupValues) {
    setError(undefined);
    try {
      const session = await account.setUp({
        token,
        email: email.trim(),
        password,
        workspaceName,
        allowedOrigins: [completeOrigin(origin) ?? origin],
        sourceLocale,
      });
      // The new owner may also have received older workspaces, such as the demo. Ids sort by creation.
      const { tenantId } = session.memberships.reduce((newest, each) =>
        each.tenantId > newest.tenantId ? each : newest,
      );
      startSession(session);
      await navigate({ to: '/w/$tenantId/installation', params: { tenantId } });
    } catch (reason) {
      if (isDeadLink(reason, 'setup/not_found')) return onExpired();
      const errors = toFieldErrors(reason);
      form.setErrors(errors);
      showErrors(errors);
      if (Object.keys(errors).length === 0) setError(errorText(reason));
    }
  }
  return { form, error, submit: form.onSubmit(create, showErrors) };
}

function useFieldErrors(): (reason: unknown) => Record<string, string> {
  const t = useTranslations('setup');
  const passwordErrorText = usePasswordErrorText();
  const texts: Readonly<Record<string, readonly [keyof SetupValues, string]>> = {
    email: ['email', t('needEmail')],
    workspaceName: ['workspaceName', t('needWorkspaceName')],
    allowedOrigins: ['origin', t('needOrigin')],
    sourceLocale: ['sourceLocale', t('needLocale')],
  };
  return (reason) => {
    const issues = (isGuideError(reason) && reason.issues) || [];
    const fieldErrors = issues.flatMap((issue) => {
      const name = issue.path.split('.')[1] ?? '';
      if (name === 'password') return [['password', passwordErrorText(issue)] as const];
      return texts[name] ? [texts[name]] : [];
    });
    return Object.fromEntries(fieldErrors);
  };
}
