import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { account } from '../service.ts';
import { DialogButtons } from './dialog-buttons.tsx';
import { useErrorText } from './error-message.tsx';

export function PasswordForm({
  onConfirmed,
  onCancel,
}: {
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}) {
  const t = useTranslations();
  const errorText = useErrorText();
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (value) => (value ? null : t('signIn.needPassword')) },
  });
  const submit = form.onSubmit(async ({ password }) => {
    try {
      await account.confirmPassword(password);
      onConfirmed();
    } catch (error) {
      const wrong = isGuideError(error, 'session/wrong_credentials');
      form.setFieldError('password', wrong ? t('signIn.wrong') : errorText(error));
    }
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{t('shell.confirmPasswordLead')}</Text>
        <PasswordInput
          label={t('shell.password')}
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <DialogButtons cancel={onCancel}>
          <Button type="submit" loading={form.submitting}>
            {t('shell.confirm')}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}
