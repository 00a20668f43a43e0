import {
  Button,
  Group,
  Modal,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { LIMITS } from '../../../contract/limits.ts';
import { type GuideError, isGuideError } from '../../sdk/errors.ts';
import { DialogButtons, FormError, useErrorText } from './page.tsx';
import '../theme-controls.css';
import { useForm } from '@mantine/form';
import { useTranslations } from 'use-intl';
import { account, basePath, queries, startSession } from '../session.ts';

/** Checked against the contract by its type: importing the value would bundle the contract. */
const LENGTH_MIN: (typeof LIMITS)['passwordCharsMin'] = 15;

// Counted as the server does: code points after NFKC.
const countMissing = (value: string) => LENGTH_MIN - [...value.normalize('NFKC')].length;

/**
 * Checks the length of a new password in the browser, so that this error appears together with those of other fields.
 */
export function useNewPasswordCheck(): (value: string) => string | null {
  const t = useTranslations('password.errors');
  return (value) => (countMissing(value) > 0 ? t('too_short', { limit: LENGTH_MIN }) : null);
}

/** A field for a new password that counts the characters still needed. */
export function NewPasswordInput({ value = '', ...input }: PasswordInputProps & { value?: string }) {
  const t = useTranslations('password');
  const missing = countMissing(value);
  return (
    <PasswordInput
      autoComplete="new-password"
      value={value}
      aria-invalid={input.error ? true : undefined}
      description={
        <>
          {t('hint', { min: LENGTH_MIN })}{' '}
          <span aria-live="polite">
            {value !== '' && (missing > 0 ? t('missing', { count: missing }) : t('longEnough'))}
          </span>
        </>
      }
      {...input}
    />
  );
}

type Issue = NonNullable<GuideError['issues']>[number];

const ERRORS = ['not_text', 'repeated', 'sequential', 'guessable', 'in_use'] as const;

/** Explains why the server rejects a password. Only the server's message contains the length limit. */
export function usePasswordErrorText(): (issue: Issue) => string {
  const t = useTranslations('password.errors');
  return ({ code, message }) => {
    const limit = Number(/\d+/.exec(message)?.[0]);
    if ((code === 'too_short' || code === 'too_long') && limit > 0) return t(code, { limit });
    const known = ERRORS.find((each) => each === code);
    return known ? t(known) : message;
  };
}

export function PasswordForm({ onConfirmed, onCancel }: { onConfirmed: () => void; onCancel: () => void }) {
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
      const isWrongPassword = isGuideError(error, 'session/wrong_credentials');
      form.setFieldError('password', isWrongPassword ? t('signIn.wrong') : errorText(error));
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
