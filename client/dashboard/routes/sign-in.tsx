import { Alert, Button, Center, Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Page } from '../components/page.tsx';
import { useTroubleText } from '../components/trouble.tsx';
import { queries, SESSION } from '../queries.ts';
import { account, basePath } from '../service.ts';

export function SignInPage() {
  const t = useTranslations('signIn');
  const troubleText = useTroubleText();
  const router = useRouter();
  const { to } = useSearch({ from: '/sign-in' });
  const [trouble, setTrouble] = useState<string>();
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('needEmail')),
      password: (value) => (value ? null : t('needPassword')),
    },
  });
  const submit = form.onSubmit(async ({ email, password }) => {
    setTrouble(undefined);
    try {
      const session = await account.signIn(email.trim(), password);
      queries.clear();
      queries.setQueryData(SESSION, session);
      router.history.push(basePath + (to ?? '/'));
    } catch (error) {
      setTrouble(isGuideError(error, 'session/wrong_credentials') ? t('wrong') : troubleText(error));
    }
  });
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder p="xl" w="100%" maw={420}>
        <Page title={t('title')} lead={t('lead')}>
          <form onSubmit={submit} noValidate>
            <Stack>
              {trouble && (
                <Alert color="red" role="alert">
                  {trouble}
                </Alert>
              )}
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
              <Text size="sm" c="dimmed">
                {t('noAccount')}
              </Text>
            </Stack>
          </form>
        </Page>
      </Paper>
    </Center>
  );
}
