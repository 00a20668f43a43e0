import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { PasskeyRequest, PasskeySignature, SecondStep, SessionState } from '../../sdk/types.ts';
import { canUsePasskeys, isPasskeyError, signWithPasskey } from '../passkeys.ts';
import { account } from '../session.ts';
import { Form, trim, useFields } from './form.tsx';
import { Icon } from './icon.tsx';
import { useErrorText } from './loading.tsx';

/** Explains what went wrong with a code or a passkey. */
export function useFactorErrorText(): (error: unknown) => string {
  const t = useTranslations('factors');
  const errorText = useErrorText();
  return (error) => {
    if (isPasskeyError(error)) return t('notUsed');
    if (isGuideError(error, 'session/wrong_factor')) return t('wrong');
    return isGuideError(error, 'session/step_ended') ? t('stepEnded') : errorText(error);
  };
}

/** Recovery codes have letters too. */
const CODE_INPUT = {
  autoComplete: 'one-time-code',
  autoCapitalize: 'characters',
  autoCorrect: 'off',
  spellCheck: false,
  dir: 'ltr',
} as const;

/** Describes the field of a form for a code. */
export function useCodeField<Name extends string>(name: Name, { isRequired = true, input = {} } = {}) {
  const t = useTranslations('factors');
  return {
    name,
    as: TextInput,
    input: { label: t('code'), ...CODE_INPUT, ...input },
    clean: trim,
    check: (code: string) => isRequired && code === '' && t('needCode'),
  };
}

/** Signs in with a password. Returns the session, or the second step that the service asks for. */
export async function sendPassword(sent: Promise<SessionState>): Promise<SessionState | SecondStep> {
  try {
    return await sent;
  } catch (error) {
    if (!isGuideError(error, 'session/second_factor_asked')) throw error;
    return account.readSecondStep();
  }
}

export const isSecondStep = (reply: SessionState | SecondStep): reply is SecondStep => 'factors' in reply;

type PasskeyButtonProps = {
  label: string;
  /** Returns what the passkey is asked with. */
  start: () => PasskeyRequest | Promise<PasskeyRequest>;
  use: (passkey: PasskeySignature) => Promise<void>;
  isPrimary?: boolean;
};

/** Asks the browser for a passkey. Nothing is shown where it knows none. */
export function PasskeyButton({ label, start, use, isPrimary }: PasskeyButtonProps) {
  const errorText = useFactorErrorText();
  const [error, setError] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  if (!canUsePasskeys) return null;
  async function sign() {
    setIsPending(true);
    setError(undefined);
    try {
      await use(await signWithPasskey(await start()));
    } catch (reason) {
      setError(errorText(reason));
    } finally {
      setIsPending(false);
    }
  }
  return (
    <Stack gap={4}>
      <Button
        variant={isPrimary ? 'filled' : 'default'}
        leftSection={<Icon name="fingerprint" />}
        onClick={() => void sign()}
        loading={isPending}
        data-autofocus={isPrimary || undefined}
      >
        {label}
      </Button>
      <Text size="sm" c="red" role="alert">
        {error}
      </Text>
    </Stack>
  );
}

type SecondStepProps = {
  step: SecondStep;
  onDone: (session: SessionState) => unknown;
  /** Returns to the password. */
  onCancel: () => void;
};

/** Asks for the second factor after the password. */
export function SecondStepForm({ step, onDone, onCancel }: SecondStepProps) {
  const t = useTranslations('factors');
  const errorText = useFactorErrorText();
  const { passkeyRequest, factors } = step;
  const hasPasskey = passkeyRequest !== undefined && canUsePasskeys;
  const state = useFields({
    section: 'factors',
    initialValues: { code: '' },
    fields: [useCodeField('code', { input: hasPasskey ? {} : { autoFocus: true, 'data-autofocus': true } })],
    explain: (error) => ({ code: errorText(error) }),
  });
  return (
    <Stack>
      <Text>{t(factors.includes('totp') ? 'stepLead' : 'stepLeadPasskey')}</Text>
      {hasPasskey && (
        <PasskeyButton
          label={t('usePasskey')}
          start={() => passkeyRequest}
          use={async (passkey) => void onDone(await account.completeSignIn({ passkey }))}
          isPrimary
        />
      )}
      <Form
        state={state}
        send={async ({ code }) => onDone(await account.completeSignIn({ code }))}
        submitLabel={t('continue')}
        cancel={onCancel}
        cancelLabel={t('back')}
      />
    </Stack>
  );
}
