import { Anchor, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Form, isEmail, trim, useFields } from '../components/form.tsx';
import { Loaded } from '../components/loading.tsx';
import { CenteredPage } from '../components/page.tsx';
import { useNewPassword } from '../components/password.tsx';
import { account } from '../session.ts';
import { isDeadLink, useLink, useLinkToken } from './link-token.ts';

/** Asks for the mail with a link, and sets the new password when the link is opened. */
export default function PasswordPage() {
  const token = useLinkToken();
  return token === undefined ? <RequestLink /> : <OpenedLink key={token} token={token} />;
}

function RequestLink() {
  const t = useTranslations('passwordReset');
  const [outcome, setOutcome] = useState<{ email: string } | 'off'>();
  const state = useFields({
    section: 'passwordReset',
    initialValues: { email: '' },
    fields: [
      {
        name: 'email',
        as: TextInput,
        input: { type: 'email', autoComplete: 'username' },
        clean: trim,
        check: (email: string) => !isEmail(email) && t('needEmail'),
        explainIssue: () => t('needEmail'),
      },
    ],
  });
  if (outcome === 'off') return <Message title={t('offTitle')} lead={t('offLead')} />;
  if (outcome) return <Message title={t('sentTitle')} lead={t('sentLead', outcome)} />;
  return (
    <CenteredPage key="request" title={t('title')} lead={t('lead')}>
      <Form
        state={state}
        send={async ({ email }) => {
          try {
            await account.passwordResets.request(email);
            setOutcome({ email });
          } catch (error) {
            if (!isGuideError(error, 'mail/not_configured')) throw error;
            setOutcome('off');
          }
        }}
        submitLabel={t('submit')}
      >
        <SignInLink />
      </Form>
    </CenteredPage>
  );
}

function OpenedLink({ token }: { token: string }) {
  const t = useTranslations('passwordReset');
  const [outcome, setOutcome] = useState<'done' | 'expired'>();
  const link = useLink('password', token, account.passwordResets.readLink);
  if (outcome === 'done') return <Message title={t('doneTitle')} lead={t('doneLead')} />;
  if (outcome === 'expired' || isDeadLink(link.error, 'password_reset/not_found')) {
    return (
      <CenteredPage key="expired" title={t('expiredTitle')}>
        <Text>{t('expiredLead')}</Text>
        <Anchor href="./password">{t('requestAgain')}</Anchor>
      </CenteredPage>
    );
  }
  return (
    <CenteredPage key="choose" title={t('chooseTitle')} lead={t('chooseLead')}>
      <Loaded query={link}>
        {({ email }) => <ChooseForm email={email} token={token} onEnd={setOutcome} />}
      </Loaded>
    </CenteredPage>
  );
}

type ChooseProps = { email: string; token: string; onEnd: (outcome: 'done' | 'expired') => void };

function ChooseForm({ email, token, onEnd }: ChooseProps) {
  const t = useTranslations('passwordReset');
  const state = useFields({
    section: 'passwordReset',
    initialValues: { email, newPassword: '' },
    fields: [
      // Password managers save a password under the user name beside it.
      { name: 'email', as: TextInput, input: { type: 'email', autoComplete: 'username', readOnly: true } },
      useNewPassword('newPassword', t('needPassword')),
    ],
  });
  return (
    <Form
      state={state}
      send={async ({ newPassword }) => {
        try {
          await account.passwordResets.complete(token, newPassword);
          onEnd('done');
        } catch (error) {
          if (!isDeadLink(error, 'password_reset/not_found')) throw error;
          onEnd('expired');
        }
      }}
      submitLabel={t('choose')}
    />
  );
}

function Message({ title, lead }: { title: string; lead: string }) {
  return (
    <CenteredPage key={title} title={title}>
      <Text role="status" className="wrap">
        {lead}
      </Text>
      <SignInLink />
    </CenteredPage>
  );
}

function SignInLink() {
  const t = useTranslations('passwordReset');
  return (
    <Anchor component={Link} to="/sign-in" className="self-start">
      {t('signIn')}
    </Anchor>
  );
}
