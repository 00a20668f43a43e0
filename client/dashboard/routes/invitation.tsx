import { Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { InvitationView, SecondStep, SessionState } from '../../sdk/types.ts';
import { Form, useFields } from '../components/form.tsx';
import { Loaded } from '../components/loading.tsx';
import { CenteredPage } from '../components/page.tsx';
import { useNewPassword } from '../components/password.tsx';
import { isSecondStep, SecondStepForm, sendPassword } from '../components/second-step.tsx';
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
        <Loaded query={invitation}>{() => null}</Loaded>
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
function JoinForm({ token, invitation, onExpired }: JoinProps) {
  const t = useTranslations('invitation');
  const { email, provesAddress, workspaceName } = invitation;
  const navigate = useNavigate();
  const [step, setStep] = useState<SecondStep>();
  const state = useFields({
    section: 'invitation',
    initialValues: { email, password: '' },
    fields: [
      // Password managers save a password under the user name beside it.
      {
        name: 'email',
        as: TextInput,
        input: { id: 'email', type: 'email', autoComplete: 'username', readOnly: true },
      },
      useNewPassword('password', t('needPassword'), {
        checksLength: false,
        input: { id: 'password', label: t(provesAddress ? 'newPassword' : 'password') },
      }),
    ],
  });
  async function enter(session: SessionState) {
    startSession(session);
    const membership = session.memberships.findLast(({ name }) => name === workspaceName);
    const tenantId = (membership ?? session.memberships.at(-1))?.tenantId;
    await (tenantId ? navigate({ to: '/w/$tenantId', params: { tenantId } }) : navigate({ to: '/' }));
  }
  async function join({ password }: { password: string }) {
    try {
      const reply = await sendPassword(account.invitations.accept(token, password));
      if (isSecondStep(reply)) setStep(reply);
      else await enter(reply);
    } catch (reason) {
      if (!isDeadLink(reason, 'invitation/not_found')) throw reason;
      onExpired();
    }
  }
  if (step) {
    return <SecondStepForm step={step} onDone={enter} onCancel={() => void navigate({ to: '/sign-in' })} />;
  }
  return (
    <Form
      state={state}
      send={join}
      lead={<Text>{t(provesAddress ? 'provingLead' : 'passwordLead')}</Text>}
      submitLabel={t('submit')}
    />
  );
}
