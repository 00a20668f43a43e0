import { Button, Group, Modal, Progress, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Tenant } from '../../../sdk/tenant.ts';
import { downloadFile, toFileName } from '../../components/download.tsx';
import { Form, useFields } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorMessage } from '../../components/loading.tsx';
import { Card, Muted, Page } from '../../components/page.tsx';
import { showToast, useAction, useLeaveGuard } from '../../components/use-action.tsx';
import { signedInAgain, useLeaveWorkspace, useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { ImportArticles } from './import.tsx';

export default function TransferPage() {
  const t = useTranslations('transfer');
  return (
    <Page title={t('title')}>
      <RequireEditor>
        <Stack>
          <ExportWorkspace />
          <ImportArticles />
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
  const { state, start, cancel } = useExport(tenant, nameExport(name));
  const isRunning = state.status === 'running';
  useLeaveGuard(isRunning, { message: t('exporting') });
  return (
    <Card title={t('export')} lead={t('exportLead')}>
      {isRunning && <Progress value={100} animated aria-label={t('exporting')} />}
      <div role="status">
        <ExportProgress state={state} />
      </div>
      {state.status === 'broken' && <ErrorMessage error={state.error} retry={start} />}
      <Group>
        {isRunning ? (
          <Button variant="default" onClick={cancel}>
            {s('cancel')}
          </Button>
        ) : (
          <Button leftSection={<Icon name="download" />} onClick={start}>
            {t('start')}
          </Button>
        )}
      </Group>
    </Card>
  );
}

function ExportProgress({ state }: { state: ExportState }) {
  const t = useTranslations('transfer');
  const format = useFormatter();
  if (state.status === 'cancelled') return <Text size="sm">{t('cancelled')}</Text>;
  if (state.status !== 'running' && state.status !== 'done') return null;
  const { count, chars, file } = state;
  const [amount, unit] = chars < 1e6 ? [chars / 1e3, 'kilobyte'] : [chars / 1e6, 'megabyte'];
  const size = format.number(amount, { style: 'unit', unit, maximumFractionDigits: 1 });
  return (
    <Stack gap={2}>
      <Text size="sm">{state.status === 'done' ? t('done', { count, file }) : t('running', { count })}</Text>
      {state.status === 'running' && <Muted>{t('size', { size })}</Muted>}
    </Stack>
  );
}

const nameExport = (name: string) =>
  `guidepost-${toFileName(name) || 'workspace'}-${new Date().toISOString().slice(0, 10)}.ndjson`;

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
            leftSection={<Icon name="trash" />}
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

/** The server compares the name too; the check here only saves a request. */
function DeleteDialog({ close }: { close: () => void }) {
  const t = useTranslations('transfer');
  const { tenant, name } = useWorkspace();
  const leaveWorkspace = useLeaveWorkspace();
  async function leaveWithMessage(message: string) {
    await leaveWorkspace();
    showToast(message);
  }
  const state = useFields({
    section: 'transfer',
    initialValues: { name: '' },
    fields: [
      {
        name: 'name',
        as: TextInput,
        input: {
          label: t('nameLabel'),
          autoComplete: 'off',
          spellCheck: false,
          dir: 'auto',
          'data-autofocus': true,
        },
        check: (typed: string) => typed !== name && t('mismatch'),
      },
    ],
    explain: (error) => isGuideError(error, 'tenant/name_mismatch') && { name: t('mismatch') },
  });
  const remove = useAction((typed: { name: string }) => tenant.settings.delete(typed.name), {
    onDone: () => leaveWithMessage(t('deleted', { name })),
    onError: (error) => {
      const isTimeout = isGuideError(error, 'timeout');
      if (isTimeout) void leaveWithMessage(t('deletingInBackground'));
      return isTimeout || state.showError(error);
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      title={t('deleteTitle', { name })}
      closeOnClickOutside={false}
      closeOnEscape={!remove.isPending}
      withCloseButton={!remove.isPending}
    >
      <Form
        state={state}
        send={remove.mutate}
        isPending={remove.isPending}
        lead={<Text className="wrap">{t('typeName', { name })}</Text>}
        status={remove.isPending ? t('deleting') : ''}
        submitLabel={t('deleteNow')}
        button={{ color: 'red' }}
        cancel={close}
      />
    </Modal>
  );
}

type ExportState =
  | { status: 'idle' | 'cancelled' }
  | {
      status: 'running' | 'done';
      count: number;
      chars: number;
      file: string;
    }
  | { status: 'broken'; error: unknown };

/** Batches writes, and throttles the progress display. */
const CHARS_AT_ONCE = 256 * 1024;
const SHOW_MILLIS = 300;

/** Streams an export into a file. */
function useExport(tenant: Tenant, file: string) {
  const [state, setState] = useState<ExportState>({ status: 'idle' });
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);

  async function start(): Promise<void> {
    const destination = await openDestination(file);
    if (!destination) return;
    const abort = new AbortController();
    controller.current = abort;
    setState({ status: 'running', count: 0, chars: 0, file });
    try {
      const totals = await copyExport(tenant, destination, abort.signal, (progress) =>
        setState({ status: 'running', file, ...progress }),
      );
      await destination.finish();
      setState({ status: 'done', file, ...totals });
    } catch (error) {
      await destination.abandon().catch(() => undefined);
      setState(abort.signal.aborted ? { status: 'cancelled' } : { status: 'broken', error });
      void signedInAgain(error);
    } finally {
      controller.current = undefined;
    }
  }
  return { state, start, cancel: () => controller.current?.abort() };
}

type Copied = { count: number; chars: number };

async function copyExport(
  tenant: Tenant,
  destination: Destination,
  signal: AbortSignal,
  show: (copied: Copied) => void,
): Promise<Copied> {
  let [count, chars, unwritten, shownAt] = [0, 0, '', 0];
  for await (const line of tenant.export({ signal })) {
    const text = `${JSON.stringify(line)}\n`;
    unwritten += text;
    chars += text.length;
    // The `end` line describes the file and is not a record.
    if (line.type !== 'end') count += 1;
    if (unwritten.length >= CHARS_AT_ONCE) {
      await destination.write(unwritten);
      unwritten = '';
    }
    if (performance.now() - shownAt > SHOW_MILLIS) {
      show({ count, chars });
      shownAt = performance.now();
    }
  }
  signal.throwIfAborted();
  await destination.write(unwritten);
  return { count, chars };
}

/** Writes straight to a file where the browser supports it, otherwise to a download. */
type Destination = {
  write: (text: string) => Promise<void>;
  finish: () => Promise<void>;
  /** Discards the file. */
  abandon: () => Promise<void>;
};

/** The used part of the File System Access API, which not every browser supports. */
type FilePicker = (options: {
  suggestedName: string;
  types: { description: string; accept: Record<string, string[]> }[];
}) => Promise<{ createWritable(): Promise<WritableFile> }>;
type WritableFile = {
  write(text: string): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
};

const MIME = 'application/x-ndjson';

/** Asks where to write the file; undefined if the user has chosen none. */
async function openDestination(name: string): Promise<Destination | undefined> {
  const picker = (window as { showSaveFilePicker?: FilePicker }).showSaveFilePicker;
  if (!picker) return createDownload(name);
  try {
    const file = await picker({
      suggestedName: name,
      types: [{ description: 'NDJSON', accept: { [MIME]: ['.ndjson'] } }],
    });
    const writable = await file.createWritable();
    return {
      write: (text) => writable.write(text),
      finish: () => writable.close(),
      abandon: () => writable.abort(),
    };
  } catch (error) {
    if ((error as Error).name === 'AbortError') return undefined;
    // Some origins may not use the picker.
    return createDownload(name);
  }
}

/** Collects blobs for a download, because browsers keep large blobs on disk. */
function createDownload(name: string): Destination {
  let parts: Blob[] = [];
  return {
    write: async (text) => void parts.push(new Blob([text])),
    async finish() {
      downloadFile(name, parts, MIME);
    },
    abandon: async () => {
      parts = [];
    },
  };
}
