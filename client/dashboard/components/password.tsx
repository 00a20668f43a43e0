import { Modal, PasswordInput, type PasswordInputProps, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ACCOUNT_LIMITS } from '../../../contract/limits/accounts.ts';
import { type GuideError, isGuideError } from '../../sdk/errors.ts';
import type { SecondStep, SessionState } from '../../sdk/types.ts';
import { Form, useFields } from './form.tsx';
import '../theme-controls.css';
import { useTranslations } from 'use-intl';
import { account, basePath, continueSession, queries, startSession, useSession } from '../session.ts';
import { goToProvider, ProviderButton, useProviderErrorText } from './provider.tsx';
import {
  isSecondStep,
  PasskeyButton,
  SecondStepForm,
  sendPassword,
  useCodeField,
  useFactorErrorText,
} from './second-step.tsx';

// Counted as the server does: code points after NFKC.
const countMissing = (value: string) => ACCOUNT_LIMITS.passwordCharsMin - [...value.normalize('NFKC')].length;

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
      return (
        checksLength && countMissing(value) > 0 && t('too_short', { limit: ACCOUNT_LIMITS.passwordCharsMin })
      );
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
      description={
        <>
          {t('hint', { min: ACCOUNT_LIMITS.passwordCharsMin })}{' '}
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

/** Password managers fill in and save a password under the user name beside it. */
export const UserName = ({ email }: { email: string }) => (
  <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
);

export function PasswordForm({ onConfirmed, onCancel }: { onConfirmed: () => void; onCancel: () => void }) {
  const t = useTranslations();
  const factorErrorText = useFactorErrorText();
  const { email, secondFactors, signedInWith } = useSession();
  const hasFactor = secondFactors.length > 0;
  const hasPasskey = secondFactors.includes('passkey');
  // Who signs in at an identity provider has no password here.
  const takesPassword = signedInWith !== 'oidc';
  const focus = { 'data-autofocus': true };
  const password = currentPassword('password', t('signIn.needPassword'), {
    label: t('shell.password'),
    ...focus,
  });
  const code = useCodeField('code', { input: takesPassword ? {} : focus });
  const state = useFields({
    section: 'signIn',
    initialValues: { password: '', code: '' },
    fields: [...(takesPassword ? [password] : []), ...(hasFactor || !takesPassword ? [code] : [])],
    explain: (error) => {
      const isWrongPassword = isGuideError(error, 'session/wrong_credentials');
      const isWrongCode = isGuideError(error, 'session/wrong_factor');
      const name = isWrongCode || !takesPassword ? 'code' : 'password';
      return { [name]: isWrongPassword ? t('signIn.wrong') : factorErrorText(error) };
    },
  });
  const providerErrorText = useProviderErrorText();
  async function confirm(proof: Parameters<typeof account.confirm>[0]) {
    continueSession(await account.confirm(proof));
    onConfirmed();
  }
  return (
    <Stack>
      <Text>{t(hasFactor ? 'factors.confirmLead' : 'shell.confirmPasswordLead')}</Text>
      {hasPasskey && (
        <PasskeyButton
          label={t('factors.usePasskey')}
          start={() => account.secondFactors.startPasskeySignIn()}
          use={(passkey) => confirm({ passkey })}
        />
      )}
      {!takesPassword && (
        <ProviderButton
          label={t('provider.again')}
          go={() => goToProvider({ email, fresh: true }, getPath())}
          onError={(error) => state.showErrors({ form: providerErrorText(error) })}
        />
      )}
      <Form
        state={state}
        lead={<UserName email={email} />}
        send={(values) =>
          confirm({
            ...(takesPassword && { password: values.password }),
            ...(values.code !== '' && { code: values.code }),
          })
        }
        submitLabel={t('shell.confirm')}
        cancel={onCancel}
      />
    </Stack>
  );
}

/** The path that the router shows; this dialog is outside of the router. */
const getPath = () => location.pathname.slice(basePath.length) + location.search;

/** Puts this dialog above every other one. */
const Z_INDEX = 1000;

/** Continues an ended session in place; the page behind it keeps what was typed. */
export function SignInAgain({ email }: { email: string }) {
  const t = useTranslations();
  const [step, setStep] = useState<SecondStep>();
  function enter(session: SessionState) {
    startSession(session);
    void queries.invalidateQueries();
  }
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
      {step ? (
        <SecondStepForm step={step} onDone={enter} onCancel={() => setStep(undefined)} />
      ) : (
        <Form
          state={state}
          send={async ({ password }) => {
            const reply = await sendPassword(account.signIn(email, password));
            if (isSecondStep(reply)) setStep(reply);
            else enter(reply);
          }}
          lead={<Text>{t('shell.sessionOverLead')}</Text>}
          submitLabel={t('signIn.submit')}
          cancel={() => location.assign(`${basePath}/sign-in`)}
          cancelLabel={t('shell.anotherAccount')}
        />
      )}
    </Modal>
  );
}
