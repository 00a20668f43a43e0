import { Anchor, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { PasskeySignature, SecondStep, SessionState } from '../../sdk/types.ts';
import { Form, isEmail, trim, useFields } from '../components/form.tsx';
import { CenteredPage, Muted } from '../components/page.tsx';
import { currentPassword } from '../components/password.tsx';
import { goToProvider, ProviderButton, useProviderErrorText } from '../components/provider.tsx';
import {
  isSecondStep,
  PasskeyButton,
  SecondStepForm,
  sendPassword,
  useFactorErrorText,
} from '../components/second-step.tsx';
import { canFillInPasskeys, endPasskeyRequest, signWithPasskey } from '../passkeys.ts';
import { account, basePath, startSession } from '../session.ts';

export default function SignInPage() {
  const t = useTranslations('signIn');
  const router = useRouter();
  const { to } = useSearch({ from: '/sign-in' });
  const providers = useTranslations('provider');
  const providerErrorText = useProviderErrorText();
  const factorErrorText = useFactorErrorText();
  const { data: options } = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => account.provider.options({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [step, setStep] = useState<SecondStep>();
  function enter(session: SessionState) {
    startSession(session);
    router.history.push(basePath + (to ?? '/'));
  }
  const state = useFields({
    section: 'signIn',
    initialValues: { email: '', password: '' },
    fields: [
      {
        name: 'email',
        as: TextInput,
        input: { type: 'email', autoComplete: 'username webauthn' },
        clean: trim,
        check: (email: string) => !isEmail(email) && t('needEmail'),
      },
      currentPassword('password', t('needPassword')),
    ],
    explain: (error) =>
      !isGuideError(error, 'request/invalid') && {
        form: isGuideError(error, 'session/wrong_credentials') ? t('wrong') : providerErrorText(error),
      },
  });
  /** The provider of the installation needs no address; that of a workspace is found by it. */
  async function leave(): Promise<void> {
    const email = state.form.getValues().email.trim();
    if (isEmail(email)) return goToProvider({ email }, to ?? '/');
    if (options?.provider) return goToProvider({}, to ?? '/');
    state.showErrors({ email: t('needEmail') });
    throw undefined;
  }
  usePasskeyFilledIn({
    isOn: step === undefined,
    use: async (passkey) => enter(await account.secondFactors.signInWithPasskey(passkey)),
    onError: (error) => state.showErrors({ form: factorErrorText(error) }),
  });
  if (step) {
    return (
      <CenteredPage key="step" title={t('secondStep')}>
        <SecondStepForm step={step} onDone={enter} onCancel={() => setStep(undefined)} />
      </CenteredPage>
    );
  }
  return (
    <CenteredPage title={t('title')} lead={t('lead')}>
      <Form
        state={state}
        send={async ({ email, password }) => {
          const reply = await sendPassword(account.signIn(email, password));
          if (isSecondStep(reply)) setStep(reply);
          else enter(reply);
        }}
        submitLabel={t('submit')}
      >
        <ProviderButton
          label={
            options?.provider ? providers('with', { name: options.provider.name }) : providers('company')
          }
          go={leave}
          onError={state.showError}
        />
        <PasskeyButton
          label={t('passkey')}
          start={() => account.secondFactors.startPasskeySignIn()}
          use={async (passkey) => enter(await account.secondFactors.signInWithPasskey(passkey))}
        />
        <Anchor component={Link} to="/password" className="self-start">
          {t('forgot')}
        </Anchor>
        <Muted>{t('noAccount')}</Muted>
      </Form>
    </CenteredPage>
  );
}

type FilledIn = {
  isOn: boolean;
  use: (passkey: PasskeySignature) => Promise<void>;
  onError: (error: unknown) => void;
};

/** Lets the browser offer passkeys in the field for the address. */
function usePasskeyFilledIn({ isOn, ...on }: FilledIn): void {
  const use = useEffectEvent(on.use);
  const onError = useEffectEvent(on.onError);
  useEffect(() => {
    if (!isOn) return;
    let isWaiting = false;
    let hasEnded = false;
    async function offer(): Promise<void> {
      const request = await account.secondFactors.startPasskeySignIn();
      if (hasEnded) return;
      isWaiting = true;
      const passkey = await signWithPasskey(request, true);
      isWaiting = false;
      try {
        await use(passkey);
      } catch (error) {
        onError(error);
        await offer();
      }
    }
    // Without it, there are the password and the button.
    void canFillInPasskeys()
      .then((can) => (can && !hasEnded ? offer() : undefined))
      .catch(() => undefined);
    return () => {
      hasEnded = true;
      if (isWaiting) void endPasskeyRequest();
    };
  }, [isOn]);
}
