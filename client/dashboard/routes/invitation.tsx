import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { InvitationView } from '../../sdk/types.ts';
import { CenteredPage, ErrorMessage, FormError, Loading, useErrorText } from '../components/page.tsx';
import { NewPasswordInput, usePasswordErrorText } from '../components/password.tsx';
import { account, startSession } from '../session.ts';
import { isDeadLink, useLink, useLinkToken } from './link-token.ts';

/** Joins a workspace, from the link of an invitation. */
export default function InvitationPage() {
  const t = useTranslations('invitation');
  const token = useLinkToken();
  const [usedToken, setUsedToken] = useState<string>();
  const invitation = useLink('invitation', token, account.invitations.read);
  if (token === undefined) {
    return (
      <CenteredPage title={t('incompleteTitle')}>
        <Text>{t('incompleteLead')}</Text>
      </CenteredPage>
    );
  }
  if (usedToken === token || isDeadLink(invitation.error, 'invitation/not_found')) {
    return (
      <CenteredPage key="expired" title={t('expiredTitle')}>
        <Text>{t('expiredLead')}</Text>
        <Text>{t('expiredNext')}</Text>
      </CenteredPage>
    );
  }
  if (!invitation.data) {
    return (
      <CenteredPage title={t('title')}>
        {invitation.isError ? (
          <ErrorMessage error={invitation.error} retry={invitation.refetch} />
        ) : (
          <Loading />
        )}
      </CenteredPage>
    );
  }
  return (
    <CenteredPage key={token} title={t('joinTitle', { name: invitation.data.workspaceName })}>
      <InvitationDetails invitation={invitation.data} />
      <JoinForm token={token} invitation={invitation.data} onExpired={() => setUsedToken(token)} />
    </CenteredPage>
  );
}

function InvitationDetails({ invitation: { workspaceName, role, expiresAt } }: InvitationProps) {
  const t = useTranslations();
  const format = useFormatter();
  const expires = format.dateTime(new Date(expiresAt), { dateStyle: 'full', timeStyle: 'long' });
  return (
    <dl className="facts">
      <dt>{t('shell.workspace')}</dt>
      <dd dir="auto">{workspaceName}</dd>
      <dt>{t('invitation.role')}</dt>
      <dd>{t(`shell.roles.${role}`)}</dd>
      <dt>{t('invitation.expires')}</dt>
      <dd>
        <time dateTime={expiresAt}>{expires}</time>
      </dd>
    </dl>
  );
}

type InvitationProps = { invitation: InvitationView };
type JoinProps = InvitationProps & { token: string; onExpired: () => void };

/** Asks for one password, so that the page does not reveal whether the address has an account already. */
function JoinForm(props: JoinProps) {
  const t = useTranslations('invitation');
  const { email, provesAddress } = props.invitation;
  const { form, error, submit } = useJoinForm(props);
  return (
    <form onSubmit={submit} noValidate className="touch-form">
      <Stack>
        <Text>{t(provesAddress ? 'provingLead' : 'passwordLead')}</Text>
        <FormError error={error} />
        {/* Password managers save a password under the user name beside it. */}
        <TextInput
          id="email"
          type="email"
          autoComplete="username"
          label={t('email')}
          value={email}
          readOnly
        />
        <NewPasswordInput
          id="password"
          label={t(provesAddress ? 'newPassword' : 'password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={form.submitting} mih={44}>
          {t('submit')}
        </Button>
      </Stack>
    </form>
  );
}

function useJoinForm({ token, invitation: { workspaceName }, onExpired }: JoinProps) {
  const t = useTranslations('invitation');
  const navigate = useNavigate();
  const errorText = useErrorText();
  const passwordErrorText = usePasswordErrorText();
  const [error, setError] = useState<string>();
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: (value) => (value ? null : t('needPassword')) },
  });
  async function join({ password }: { password: string }) {
    setError(undefined);
    try {
      const session = await account.invitations.accept(token, password);
      startSession(session);
      const membership = session.memberships.findLast(({ name }) => name === workspaceName);
      const tenantId = (membership ?? session.memberships.at(-1))?.tenantId;
      await (tenantId ? navigate({ to: '/w/$tenantId', params: { tenantId } }) : navigate({ to: '/' }));
    } catch (reason) {
      showError(reason);
    }
  }
  function showError(reason: unknown): void {
    const issue = isGuideError(reason) && reason.issues?.find(({ path }) => path === 'body.password');
    if (isDeadLink(reason, 'invitation/not_found')) onExpired();
    else if (!issue) setError(errorText(reason));
    else {
      form.setFieldError('password', passwordErrorText(issue));
      form.getInputNode('password')?.focus();
    }
  }
  return { form, error, submit: form.onSubmit(join, () => form.getInputNode('password')?.focus()) };
}
