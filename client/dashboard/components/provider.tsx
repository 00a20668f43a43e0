import { Button, type ButtonProps } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { account } from '../session.ts';
import { useErrorText } from './loading.tsx';

/** Sign-in at an identity provider. */

const RETURN_TO = 'guidepost-return-to';

/** Leads to the provider of the address, else to that of the installation, and from there back to a path of the dashboard. */
export async function goToProvider(
  who: Parameters<typeof account.provider.start>[0],
  returnTo: string,
): Promise<void> {
  const { url } = await account.provider.start(who);
  sessionStorage.setItem(RETURN_TO, returnTo);
  location.assign(url);
}

/** Returns the path that `goToProvider` was given, once. */
export function takeReturnPath(): string {
  const path = sessionStorage.getItem(RETURN_TO) ?? '/';
  sessionStorage.removeItem(RETURN_TO);
  return path;
}

const CODES = [
  'no_provider',
  'provider_failed',
  'provider_refused',
  'provider_required',
  'attempt_expired',
  'email_not_allowed',
  'no_account',
  'other_identity',
] as const;

/** Explains why a sign-in at a provider failed. */
export function useProviderErrorText(): (error: unknown) => string {
  const t = useTranslations('provider.errors');
  const errorText = useErrorText();
  return (error) => {
    const code = CODES.find((each) => isGuideError(error, `session/${each}`));
    return code ? t(code) : errorText(error);
  };
}

type ProviderButtonProps = ButtonProps & {
  label: string;
  /** Rejects with what `onError` shows, or with nothing when it is shown already. */
  go: () => Promise<void>;
  onError: (error: unknown) => void;
};

export function ProviderButton({ label, go, onError, ...props }: ProviderButtonProps) {
  const [isLeaving, setIsLeaving] = useState(false);
  function leave(): void {
    setIsLeaving(true);
    go().catch((error) => {
      setIsLeaving(false);
      if (error !== undefined) onError(error);
    });
  }
  return (
    <Button variant="default" loading={isLeaving} onClick={leave} {...props}>
      {label}
    </Button>
  );
}
