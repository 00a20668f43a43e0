import { Button, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode, SubmitEventHandler } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { DialogButtons } from '../components/page.tsx';
import { useIssueText } from './settings/settings-form.tsx';

/** The fields that API keys and automation sessions have in common. */
export type CredentialValues = {
  name: string;
  /** A day, or empty. */
  expires: string;
  /** Separated by white space or commas. */
  networks: string;
};

/** The part of a form that these fields use; the form may have others. */
type CredentialForm = {
  getInputProps(field: keyof CredentialValues): object;
  setFieldError(field: string, text: string): void;
};

export const toRestrictions = ({ expires, networks }: Omit<CredentialValues, 'name'>) => ({
  ...(expires && { expiresAt: new Date(`${expires}T00:00`).toISOString() }),
  allowedNetworks: networks.split(/[\s,]+/).filter((network) => network !== ''),
});

/** Shows a rejected value at its field, or at `grants` if it is none of the common fields. */
export function useCredentialErrors(form: CredentialForm, grants: string): (error: unknown) => boolean {
  const t = useTranslations();
  const issueText = useIssueText();
  const toField = (path: string) => {
    if (path.startsWith('body.allowedNetworks')) return 'networks';
    if (path === 'body.expiresAt') return 'expires';
    return path === 'body.name' ? 'name' : grants;
  };
  return (error) => {
    const issue = isGuideError(error, 'request/invalid') && error.issues?.[0];
    if (!issue) return false;
    const { code } = issue;
    const hasOwnText = code === 'invalid_network' || code === 'in_the_past';
    const text = hasOwnText
      ? t(`apiKeys.${code}`)
      : code === 'too_late'
        ? t('automation.too_late')
        : issueText(issue);
    form.setFieldError(toField(issue.path), text);
    return true;
  };
}

/** Asks for a new API key or automation session; `children` are the fields for its permissions. */
export function CredentialDialog({
  form,
  texts,
  isPending,
  onSubmit,
  close,
  children,
}: {
  form: CredentialForm;
  texts: Readonly<
    Record<'title' | 'nameHint' | 'expires' | 'expiresHint' | 'networksHint' | 'create', string>
  >;
  isPending: boolean;
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  close: () => void;
  children: ReactNode;
}) {
  const t = useTranslations('apiKeys');
  return (
    <Modal opened onClose={close} title={texts.title} closeOnClickOutside={false}>
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          <TextInput
            label={t('name')}
            description={texts.nameHint}
            autoComplete="off"
            data-autofocus
            dir="auto"
            {...form.getInputProps('name')}
          />
          {children}
          <TextInput
            type="date"
            label={texts.expires}
            description={texts.expiresHint}
            {...form.getInputProps('expires')}
          />
          <Textarea
            label={t('networks')}
            description={texts.networksHint}
            autosize
            dir="ltr"
            spellCheck={false}
            {...form.getInputProps('networks')}
          />
          <DialogButtons cancel={close}>
            <Button type="submit" loading={isPending}>
              {texts.create}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
