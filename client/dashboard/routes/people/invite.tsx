import { Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { InvitationCreated, MemberRole } from '../../../sdk/types.ts';
import { Copy } from '../../components/copy.tsx';
import { useStep } from '../../components/use-step.ts';
import { useWorkspace } from '../../session.ts';
import { ROLES } from './member-steps.tsx';

type Invited = { readonly email: string; readonly role: MemberRole };

export function Invite() {
  const t = useTranslations();
  const { tenant, tenantId, role: ownRole } = useWorkspace();
  const [made, setMade] = useState<InvitationCreated>();
  const form = useForm<Invited>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('people.needEmail')) },
  });
  const invite = useStep(
    ({ email, role }: Invited) => tenant.invitations.create({ email: email.trim(), role }),
    {
      changes: [['tenant', tenantId, 'invitations']],
      onDone: (answer) => {
        setMade(answer);
        form.reset();
      },
      onError: (error) => {
        const told = isGuideError(error, 'invitation/already_member')
          ? t('people.alreadyMember')
          : isGuideError(error, 'request/invalid') && t('people.needEmail');
        if (told) form.setFieldError('email', told);
        return Boolean(told);
      },
    },
  );
  return (
    <form onSubmit={form.onSubmit((values) => invite.mutate(values))} noValidate>
      <Group align="flex-start" gap="sm">
        <TextInput
          className="grow"
          type="email"
          autoComplete="off"
          label={t('people.email')}
          {...form.getInputProps('email')}
        />
        <Select
          label={t('people.role')}
          description={t(`people.roleHints.${form.values.role}`)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          allowDeselect={false}
          data={ROLES.filter((value) => value !== 'owner' || ownRole === 'owner')
            .toReversed()
            .map((value) => ({ value, label: t(`shell.roles.${value}`) }))}
          w={240}
          {...form.getInputProps('role')}
        />
        <Button type="submit" loading={invite.isPending} className="beside-field">
          {t('people.makeLink')}
        </Button>
      </Group>
      {made && <InvitationLink made={made} close={() => setMade(undefined)} />}
    </form>
  );
}

/** The link is here and nowhere else, so that a stray click must not take it away. */
function InvitationLink({ made, close }: { readonly made: InvitationCreated; readonly close: () => void }) {
  const t = useTranslations('people');
  return (
    <Modal
      opened
      onClose={close}
      title={t('linkTitle', { email: made.email })}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack>
        <Text>{t('linkLead')}</Text>
        <TextInput
          label={t('link')}
          value={made.link}
          readOnly
          dir="ltr"
          onFocus={(event) => event.currentTarget.select()}
        />
        <Group justify="space-between">
          <Copy text={made.link} label={t('copyLink')} variant="filled" data-autofocus />
          <Button variant="default" onClick={close}>
            {t('linkDone')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
