import '../theme-controls.css';
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { account, basePath, queries, startSession } from '../session.ts';
import { FormError, useErrorText } from './page.tsx';

/** Puts this dialog above every other one. */
const Z_INDEX = 1000;

/** Continues an ended session in place; the page behind it keeps what was typed. */
export function SignInAgain({ email }: { email: string }) {
  const t = useTranslations();
  const errorText = useErrorText();
  const form = useForm({
    initialValues: { password: '' },
    initialErrors: {} as { form?: string },
    validate: { password: (value) => (value ? null : t('signIn.needPassword')) },
  });
  const submit = form.onSubmit(async ({ password }) => {
    try {
      startSession(await account.signIn(email, password));
      void queries.invalidateQueries();
    } catch (error) {
      const isWrongPassword = isGuideError(error, 'session/wrong_credentials');
      form.setFieldError('form', isWrongPassword ? t('signIn.wrong') : errorText(error));
    }
  });
  const leave = () => location.assign(`${basePath}/sign-in`);
  return (
    <Modal
      opened
      onClose={() => {}}
      title={t('shell.sessionOver')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      overlayProps={{ blur: 6 }}
      zIndex={Z_INDEX}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('shell.sessionOverLead')}</Text>
          <FormError error={form.errors.form as string | undefined} />
          <TextInput label={t('signIn.email')} autoComplete="username" readOnly value={email} />
          <PasswordInput
            label={t('signIn.password')}
            autoComplete="current-password"
            data-autofocus
            {...form.getInputProps('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={leave}>
              {t('shell.anotherAccount')}
            </Button>
            <Button type="submit" loading={form.submitting}>
              {t('signIn.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
