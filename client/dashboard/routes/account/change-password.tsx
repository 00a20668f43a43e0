import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslations } from 'use-intl';
import { type GuideError, isGuideError } from '../../../sdk/errors.ts';
import { useStep } from '../../components/use-step.ts';
import { account } from '../../service.ts';

type Passwords = { readonly current: string; readonly wanted: string };

export function ChangePassword({ email }: { readonly email: string }) {
  const t = useTranslations('account');
  const problemText = useProblemText();
  const form = useForm<Passwords>({
    initialValues: { current: '', wanted: '' },
    validate: {
      current: (value) => (value ? null : t('needCurrent')),
      wanted: (value) => (value ? null : t('needNew')),
    },
  });
  const tell = (field: keyof Passwords, text: string) => {
    form.setFieldError(field, text);
    form.getInputNode(field)?.focus();
    return true;
  };
  const change = useStep(({ current, wanted }: Passwords) => account.changePassword(current, wanted), {
    changes: [['devices'], ['session']],
    done: t('changed'),
    onDone: () => form.reset(),
    onError: (error) => {
      if (isGuideError(error, 'session/wrong_credentials')) return tell('current', t('wrong'));
      const issue = isGuideError(error, 'request/invalid') ? error.issues?.[0] : undefined;
      return issue?.path === 'body.newPassword' && tell('wanted', problemText(issue));
    },
  });
  return (
    <form onSubmit={form.onSubmit((passwords) => change.mutate(passwords))} noValidate>
      <Stack maw={420}>
        {/* Password managers keep a password under the name that stands beside it. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={t('currentPassword')}
          autoComplete="current-password"
          {...form.getInputProps('current')}
        />
        <PasswordInput
          label={t('newPassword')}
          description={t('newPasswordHint')}
          autoComplete="new-password"
          {...form.getInputProps('wanted')}
        />
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t('change')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const PROBLEMS = ['not_text', 'repeated', 'sequential', 'guessable'] as const;

/** What the service has against a password; its lengths are in its words. */
function useProblemText() {
  const t = useTranslations('account.problems');
  return ({ code, message }: NonNullable<GuideError['issues']>[number]) => {
    const limit = Number(/\d+/.exec(message)?.[0]);
    if ((code === 'too_short' || code === 'too_long') && limit > 0) return t(code, { limit });
    const known = PROBLEMS.find((each) => each === code);
    return known ? t(known) : message;
  };
}
