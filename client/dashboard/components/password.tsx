import { Modal, PasswordInput, type PasswordInputProps, Text, TextInput } from '@mantine/core';
import type { ACCOUNT_LIMITS } from '../../../contract/limits/accounts.ts';
import { type GuideError, isGuideError } from '../../sdk/errors.ts';
import { Form, useFields } from './form.tsx';
import { useErrorText } from './loading.tsx';
import '../theme-controls.css';
import { useTranslations } from 'use-intl';
import { account, basePath, queries, startSession } from '../session.ts';

/** Checked against the contract by its type: importing the value would bundle the contract. */
const LENGTH_MIN: (typeof ACCOUNT_LIMITS)['passwordCharsMin'] = 15;

// Counted as the server does: code points after NFKC.
const countMissing = (value: string) => LENGTH_MIN - [...value.normalize('NFKC')].length;

type NewPasswordOptions = {
  /** Whether the browser checks the length, so that this error appears together with those of other fields. */
  checksLength?: boolean;
  input?: object;
};

/** Describes the field of a form for a new password. `missing` asks for one. */
export function useNewPassword<Name extends string>(
  name: Name,
  missing: string,
  { checksLength = true, input }: NewPasswordOptions = {},
) {
  const t = useTranslations('password.errors');
  return {
    name,
    as: NewPasswordInput,
    input,
    check: (value: string) => {
      if (value === '') return missing;
      return checksLength && countMissing(value) > 0 && t('too_short', { limit: LENGTH_MIN });
    },
    /** Only the server's message contains the limit. */
    explainIssue: ({ code, message }: Issue) => {
      const limit = Number(/\d+/.exec(message)?.[0]);
      if ((code === 'too_short' || code === 'too_long') && limit > 0) return t(code, { limit });
      const known = ERRORS.find((each) => each === code);
      return known ? t(known) : message;
    },
  };
}

type Issue = NonNullable<GuideError['issues']>[number];

const ERRORS = ['not_text', 'repeated', 'sequential', 'guessable', 'in_use'] as const;

/** Counts the characters still needed. */
function NewPasswordInput({ value = '', ...input }: PasswordInputProps & { value?: string }) {
  const t = useTranslations('password');
  const missing = countMissing(value);
  return (
    <PasswordInput
      autoComplete="new-password"
      {...input}
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
    />
  );
}

/** Describes the field of a form for the current password. */
export const currentPassword = <Name extends string>(name: Name, missing: string, input: object = {}) => ({
  name,
  as: PasswordInput,
  input: { autoComplete: 'current-password', ...input },
  check: (value: string) => value === '' && missing,
});

export function PasswordForm({ onConfirmed, onCancel }: { onConfirmed: () => void; onCancel: () => void }) {
  const t = useTranslations();
  const errorText = useErrorText();
  const input = { label: t('shell.password'), 'data-autofocus': true };
  const state = useFields({
    section: 'signIn',
    initialValues: { password: '' },
    fields: [currentPassword('password', t('signIn.needPassword'), input)],
    explain: (error) => ({
      password: isGuideError(error, 'session/wrong_credentials') ? t('signIn.wrong') : errorText(error),
    }),
  });
  return (
    <Form
      state={state}
      send={async ({ password }) => {
        await account.confirmPassword(password);
        onConfirmed();
      }}
      lead={<Text>{t('shell.confirmPasswordLead')}</Text>}
      submitLabel={t('shell.confirm')}
      cancel={onCancel}
    />
  );
}

/** Puts this dialog above every other one. */
const Z_INDEX = 1000;

/** Continues an ended session in place; the page behind it keeps what was typed. */
export function SignInAgain({ email }: { email: string }) {
  const t = useTranslations();
  const state = useFields({
    section: 'signIn',
    initialValues: { email, password: '' },
    fields: [
      { name: 'email', as: TextInput, input: { autoComplete: 'username', readOnly: true } },
      currentPassword('password', t('signIn.needPassword'), { 'data-autofocus': true }),
    ],
    explain: (error) => isGuideError(error, 'session/wrong_credentials') && { form: t('signIn.wrong') },
  });
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
      <Form
        state={state}
        send={async ({ password }) => {
          startSession(await account.signIn(email, password));
          void queries.invalidateQueries();
        }}
        lead={<Text>{t('shell.sessionOverLead')}</Text>}
        submitLabel={t('signIn.submit')}
        cancel={() => location.assign(`${basePath}/sign-in`)}
        cancelLabel={t('shell.anotherAccount')}
      />
    </Modal>
  );
}
