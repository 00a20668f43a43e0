import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { CenteredPage, FormError, Muted, useErrorText } from '../components/page.tsx';
import { account, basePath, startSession } from '../session.ts';

export default function SignInPage() {
  const t = useTranslations('signIn');
  const errorText = useErrorText();
  const router = useRouter();
  const { to } = useSearch({ from: '/sign-in' });
  const [error, setError] = useState<string>();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('needEmail')),
      password: (value) => (value ? null : t('needPassword')),
    },
  });
  const submit = form.onSubmit(async ({ email, password }) => {
    setError(undefined);
    try {
      startSession(await account.signIn(email.trim(), password));
      router.history.push(basePath + (to ?? '/'));
    } catch (reason) {
      setError(isGuideError(reason, 'session/wrong_credentials') ? t('wrong') : errorText(reason));
    }
  });
  return (
    <CenteredPage title={t('title')} lead={t('lead')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormError error={error} />
          <TextInput
            label={t('email')}
            type="email"
            autoComplete="username"
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={t('password')}
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={form.submitting}>
            {t('submit')}
          </Button>
          <Muted>{t('noAccount')}</Muted>
        </Stack>
      </form>
    </CenteredPage>
  );
}
