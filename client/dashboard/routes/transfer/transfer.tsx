import { Button, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import { IconDownload, IconTrash } from '../../components/icons.tsx';
import { Card, DialogButtons, ErrorMessage, Page } from '../../components/page.tsx';
import { RequireEditor } from '../../components/require-editor.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useLeaveGuard } from '../../components/use-leave-guard.tsx';
import { useLeaveWorkspace, useWorkspace } from '../../session.ts';
import { type ExportState, useExport } from './export-file.ts';

export function TransferPage() {
  const t = useTranslations('transfer');
  return (
    <Page title={t('title')}>
      <RequireEditor>
        <Stack>
          <ExportWorkspace />
          <DeleteWorkspace />
        </Stack>
      </RequireEditor>
    </Page>
  );
}

function ExportWorkspace() {
  const t = useTranslations('transfer');
  const s = useTranslations('shell');
  const { tenant, name } = useWorkspace();
  const { state, start, cancel } = useExport(tenant, fileName(name));
  const running = state.is === 'running';
  useLeaveGuard(running, { message: t('exporting') });
  return (
    <Card title={t('export')} lead={t('exportLead')}>
      {running && <Progress value={100} animated aria-label={t('exporting')} />}
      <div role="status">
        <ExportProgress state={state} />
      </div>
      {state.is === 'broken' && <ErrorMessage error={state.error} retry={start} />}
      <Group>
        {running ? (
          <Button variant="default" onClick={cancel}>
            {s('cancel')}
          </Button>
        ) : (
          <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={start}>
            {t('start')}
          </Button>
        )}
      </Group>
    </Card>
  );
}

function ExportProgress({ state }: { readonly state: ExportState }) {
  const t = useTranslations('transfer');
  const format = useFormatter();
  if (state.is === 'cancelled') return <Text size="sm">{t('cancelled')}</Text>;
  if (state.is !== 'running' && state.is !== 'done') return null;
  const { count, chars, file } = state;
  const [amount, unit] = chars < 1e6 ? [chars / 1e3, 'kilobyte'] : [chars / 1e6, 'megabyte'];
  const size = format.number(amount, { style: 'unit', unit, maximumFractionDigits: 1 });
  return (
    <Stack gap={2}>
      <Text size="sm">{state.is === 'done' ? t('done', { count, file }) : t('running', { count })}</Text>
      {state.is === 'running' && (
        <Text size="sm" c="dimmed">
          {t('size', { size })}
        </Text>
      )}
    </Stack>
  );
}

/** Keeps only characters that every file system accepts. */
function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return `guidepost-${plain || 'workspace'}-${new Date().toISOString().slice(0, 10)}.ndjson`;
}

function DeleteWorkspace() {
  const t = useTranslations('transfer');
  const { role } = useWorkspace();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <Card title={t('delete')} lead={t('deleteLead')}>
      {role === 'owner' ? (
        <Group>
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setIsDeleting(true)}
          >
            {t('deleteStart')}
          </Button>
        </Group>
      ) : (
        <Text size="sm">{t('deleteOwnersOnly')}</Text>
      )}
      {isDeleting && <DeleteDialog close={() => setIsDeleting(false)} />}
    </Card>
  );
}

function useDeleteWorkspace(onMismatch: () => void) {
  const t = useTranslations('transfer');
  const { tenant, name } = useWorkspace();
  const leaveWorkspace = useLeaveWorkspace();
  async function goOn(message: string) {
    await leaveWorkspace();
    notifications.show({ message });
  }
  return useAction((typed: string) => tenant.settings.delete(typed), {
    onDone: () => goOn(t('deleted', { name })),
    onError: (error) => {
      if (isGuideError(error, 'tenant/name_mismatch')) onMismatch();
      else if (isGuideError(error, 'timeout')) void goOn(t('deletingInBackground'));
      else return false;
      return true;
    },
  });
}

/** The server compares the name too; this check only saves a request. */
function DeleteDialog({ close }: { readonly close: () => void }) {
  const t = useTranslations('transfer');
  const { name } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const remove = useDeleteWorkspace(() => setWrong(true));
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed === name) remove.mutate(typed);
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
          <DialogButtons cancel={close} locked={remove.isPending}>
            <Button type="submit" color="red" loading={remove.isPending}>
              {t('deleteNow')}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  );
}
