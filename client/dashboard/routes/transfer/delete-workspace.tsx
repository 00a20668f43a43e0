import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconTrash } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import { useStep } from '../../components/use-step.ts';
import { useLeaveWorkspace } from '../../components/use-way-out.ts';
import { useWorkspace } from '../../session.ts';
import { Card } from '../settings/settings-card.tsx';

export function DeleteWorkspace() {
  const t = useTranslations('data');
  const { role } = useWorkspace();
  const [asked, setAsked] = useState(false);
  return (
    <Card title={t('delete')} lead={t('deleteLead')}>
      {role === 'owner' ? (
        <Group>
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setAsked(true)}
          >
            {t('deleteStart')}
          </Button>
        </Group>
      ) : (
        <Text size="sm">{t('deleteOwnersOnly')}</Text>
      )}
      {asked && <TypeTheName close={() => setAsked(false)} />}
    </Card>
  );
}

/** The service compares what was typed: this form only saves a way. */
function TypeTheName({ close }: { readonly close: () => void }) {
  const t = useTranslations('data');
  const s = useTranslations('shell');
  const { tenant, name } = useWorkspace();
  const wayOut = useLeaveWorkspace();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  async function goOn(message: string) {
    await wayOut();
    notifications.show({ message });
  }
  const remove = useStep(() => tenant.settings.delete(typed), {
    onDone: () => goOn(t('deleted', { name })),
    onError: (error) => {
      if (isGuideError(error, 'tenant/name_mismatch')) setWrong(true);
      else if (isGuideError(error, 'timeout')) void goOn(t('goesOn'));
      else return false;
      return true;
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed === name) remove.mutate();
    else setWrong(true);
  }
  return (
    <Modal
      opened
      onClose={close}
      title={t('deleteTitle', { name })}
      closeOnClickOutside={false}
      closeOnEscape={!remove.isPending}
      withCloseButton={!remove.isPending}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text className="wrap">{t('typeName', { name })}</Text>
          <TextInput
            label={t('nameLabel')}
            autoComplete="off"
            spellCheck={false}
            dir="auto"
            data-autofocus
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setWrong(false);
            }}
            error={wrong && t('mismatch')}
          />
          <Text size="sm" role="status">
            {remove.isPending ? t('deleting') : ''}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={remove.isPending}>
              {s('cancel')}
            </Button>
            <Button type="submit" color="red" loading={remove.isPending}>
              {t('deleteNow')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
