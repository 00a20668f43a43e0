import { Anchor, TextInput } from '@mantine/core';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import { Form, isEmail, trim, useFields } from '../components/form.tsx';
import { CenteredPage, Muted } from '../components/page.tsx';
import { currentPassword } from '../components/password.tsx';
import { account, basePath, startSession } from '../session.ts';

export default function SignInPage() {
  const t = useTranslations('signIn');
  const router = useRouter();
  const { to } = useSearch({ from: '/sign-in' });
  const state = useFields({
    section: 'signIn',
    initialValues: { email: '', password: '' },
    fields: [
      {
        name: 'email',
        as: TextInput,
        input: { type: 'email', autoComplete: 'username' },
        clean: trim,
        check: (email: string) => !isEmail(email) && t('needEmail'),
      },
      currentPassword('password', t('needPassword')),
    ],
    explain: (error) => isGuideError(error, 'session/wrong_credentials') && { form: t('wrong') },
  });
  return (
    <CenteredPage title={t('title')} lead={t('lead')}>
      <Form
        state={state}
        send={async ({ email, password }) => {
          startSession(await account.signIn(email, password));
          router.history.push(basePath + (to ?? '/'));
        }}
        submitLabel={t('submit')}
      >
        <Anchor component={Link} to="/password" className="self-start">
          {t('forgot')}
        </Anchor>
        <Muted>{t('noAccount')}</Muted>
      </Form>
    </CenteredPage>
  );
}
