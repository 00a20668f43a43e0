import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Form, isEmail, trim, useFields } from '../components/form.tsx';
import { Card } from '../components/page.tsx';
import { showToast, useAction } from '../components/use-action.tsx';
import { account, useSession } from '../session.ts';
import { isDeadLink, useLinkToken } from './link-token.ts';

/** Asks for the mail with a link, which leads back to this page. */
export function ChangeEmailCard() {
  const t = useTranslations('account');
  const { email } = useSession();
  const state = useFields({
    section: 'account',
    initialValues: { newEmail: '' },
    fields: [
      {
        name: 'newEmail',
        path: 'email',
        as: TextInput,
        input: { type: 'email', autoComplete: 'email' },
        clean: trim,
        check: (entered: string) => (!isEmail(entered) || entered.toLowerCase() === email) && t('needEmail'),
        explainIssue: () => t('needEmail'),
      },
    ],
    explain: (error) => isGuideError(error, 'mail/not_configured') && { newEmail: t('mailOff') },
  });
  const request = useAction(({ newEmail }: { newEmail: string }) => account.emailChanges.request(newEmail), {
    onDone(_, { newEmail }) {
      showToast(t('linkSent', { email: newEmail }));
      state.form.reset();
    },
    onError: state.showError,
  });
  return (
    <Card title={t('email')} lead={t('emailLead')}>
      <Form
        state={state}
        send={request.mutate}
        isPending={request.isPending}
        submitLabel={t('sendLink')}
        maw={420}
      />
    </Card>
  );
}

/** Confirms the link of the mail. */
export function ConfirmEmailCard() {
  const t = useTranslations('account');
  const token = useLinkToken();
  const [usedToken, setUsedToken] = useState<string>();
  const confirm = useAction((link: string) => account.emailChanges.confirm(link), {
    changes: [['devices'], ['session']],
    done: ({ email }) => t('emailChanged', { email }),
    onDone: (_, link) => setUsedToken(link),
    onError(error, link) {
      const isTaken = isGuideError(error, 'email_change/not_available');
      if (!isTaken && !isDeadLink(error, 'email_change/not_found')) return false;
      showToast(t(isTaken ? 'emailTaken' : 'linkDead'), { isError: true });
      setUsedToken(link);
      return true;
    },
  });
  if (token === undefined || token === usedToken) return null;
  return (
    <Card title={t('confirmEmail')} lead={t('confirmEmailLead')}>
      <Button className="self-start" onClick={() => confirm.mutate(token)} loading={confirm.isPending}>
        {t('confirm')}
      </Button>
    </Card>
  );
}
