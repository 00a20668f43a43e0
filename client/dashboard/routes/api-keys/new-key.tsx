import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { NewApiKey } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import { useWorkspace } from '../../session.ts';
import { useIssueText } from '../settings/issue-text.ts';
import type { FreshKey } from './secret.tsx';

const SCOPES = ['analytics:read', 'events:read'] as const;

export function NewKey({
  close,
  made,
}: {
  readonly close: () => void;
  readonly made: (key: FreshKey) => void;
}) {
  const t = useTranslations('apiKeys');
  const s = useTranslations('shell');
  const { tenant, tenantId } = useWorkspace();
  const issueText = useIssueText();
  const form = useForm<NewApiKey>({
    initialValues: { name: '', scopes: ['analytics:read'] },
    validate: {
      name: (value) => (/\S/.test(value) ? null : t('needName')),
      scopes: (value) => (value.length > 0 ? null : t('needScope')),
    },
  });
  const create = useStep((wanted: NewApiKey) => tenant.apiKeys.create(wanted), {
    changes: [['tenant', tenantId, 'api-keys']],
    onDone: (key) => made({ key }),
    onError: (error) => {
      const issue = isGuideError(error, 'request/invalid') && error.issues?.[0];
      if (issue) form.setFieldError(issue.path === 'body.name' ? 'name' : 'scopes', issueText(issue));
      return Boolean(issue);
    },
  });
  return (
    <Modal opened onClose={close} title={t('newTitle')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit((wanted) => create.mutate(wanted))} noValidate>
        <Stack>
          <TextInput
            label={t('name')}
            description={t('nameHint')}
            autoComplete="off"
            data-autofocus
            dir="auto"
            {...form.getInputProps('name')}
          />
          <Checkbox.Group label={t('scopes')} {...form.getInputProps('scopes')}>
            <Stack gap="sm" mt="xs">
              {SCOPES.map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={t(`scopeNames.${scope}`)}
                  description={t(`scopeHints.${scope}`)}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {s('cancel')}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {t('create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
