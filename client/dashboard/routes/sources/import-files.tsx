import { Alert, Button, FileButton, List, Paper, Progress, Select, Stack, Text } from '@mantine/core';
import { IconCloudUpload } from '@tabler/icons-react';
import { useSearch } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  createSource,
  deleteSource,
  startSourceRun,
  uploadSourceFile,
} from '../../../../generated/routes.ts';
import type { SourceRefusal, SourceRun, SourceUpload } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import { useOpenPage } from '../../components/links.tsx';
import { Page, READABLE_WIDTH } from '../../components/page.tsx';
import { Muted } from '../../components/text.ts';
import { useAction, useLeaveGuard } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { type ChosenFile, readDropped, toUploads } from './chosen-files.ts';
import { useSourceError } from './source-queries.ts';
import { useSources } from './sources.tsx';
import { BaseUrlField, isFolderUrl } from './website-form.tsx';

export default function ImportFilesPage() {
  const t = useTranslations('sources');
  const { tenantId } = useWorkspace();
  return (
    <Page
      title={t('importTitle')}
      lead={t('importLead')}
      crumbs={[{ label: t('title'), to: `/w/${tenantId}/sources` }]}
    >
      <RequireEditor>
        <ImportFiles />
      </RequireEditor>
    </Page>
  );
}

const ACCEPTED = '.md,.markdown,.html,.htm,.txt,.csv,.tsv,.jsonl,.ndjson,.pdf,.docx,.zip';

function ImportFiles() {
  const t = useTranslations('sources');
  const { source: initialSourceId } = useSearch({ strict: false });
  const [sourceId, setSourceId] = useState<string | null>(initialSourceId ?? null);
  const [baseUrl, setBaseUrl] = useState('');
  const [progress, setProgress] = useState<ImportProgress>();
  const [refusals, setRefusals] = useState<readonly SourceRefusal[]>([]);
  const upload = useImport(setProgress, setRefusals);
  const sources = (useSources().data?.data ?? []).filter(({ type }) => type === 'files');
  const isInvalid = sourceId === null && !isFolderUrl(baseUrl);
  const start = (files: readonly ChosenFile[]) =>
    files.length > 0 && upload.mutate({ files, sourceId, baseUrl: baseUrl.trim() });
  useLeaveGuard(upload.isPending, { message: t('uploading', progress ?? NO_PROGRESS) });
  return (
    <Stack maw={READABLE_WIDTH}>
      {sources.length > 0 && (
        <Select
          label={t('addTo')}
          description={t('addToHint')}
          placeholder={t('newSource')}
          clearable
          value={sourceId}
          onChange={setSourceId}
          data={sources.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      {sourceId === null && (
        <BaseUrlField
          value={baseUrl}
          change={setBaseUrl}
          hint={t('baseUrlHint')}
          isInvalid={isInvalid && baseUrl.length > 'https://'.length}
        />
      )}
      <DropArea start={start} disabled={upload.isPending || isInvalid} />
      <div role="status">
        {upload.isPending && (
          <Stack gap={4}>
            <Text size="sm">{t('uploading', progress ?? NO_PROGRESS)}</Text>
            <Progress
              value={progress ? (progress.done / progress.total) * 100 : 0}
              animated
              aria-label={t('importTitle')}
            />
          </Stack>
        )}
      </div>
      {refusals.length > 0 && <Refused refusals={refusals} />}
    </Stack>
  );
}

type ImportProgress = { done: number; total: number };
const NO_PROGRESS: ImportProgress = { done: 0, total: 1 };

type DropAreaProps = {
  start: (files: readonly ChosenFile[]) => void;
  disabled: boolean;
};

/** Accepts files and folders by drag and drop, and files by a button for keyboard users. */
function DropArea({ start, disabled }: DropAreaProps) {
  const t = useTranslations('sources');
  const [isOver, setIsOver] = useState(false);
  async function drop(event: DragEvent) {
    event.preventDefault();
    setIsOver(false);
    if (!disabled) start(await readDropped(event.dataTransfer.items));
  }
  const choose = (files: File[]) =>
    start(files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
  return (
    <Paper
      withBorder
      p="xl"
      className="drop-area"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => void drop(event)}
    >
      <Stack align="center" ta="center">
        <IconCloudUpload size={40} aria-hidden />
        <Text fw={600}>{t('drop')}</Text>
        <Muted>{t('formats')}</Muted>
        <FileButton multiple accept={ACCEPTED} onChange={choose}>
          {(props) => (
            <Button {...props} disabled={disabled}>
              {t('chooseFiles')}
            </Button>
          )}
        </FileButton>
      </Stack>
    </Paper>
  );
}

const SHOWN_MAX = 50;

function Refused({ refusals }: { refusals: readonly SourceRefusal[] }) {
  const t = useTranslations('sources');
  return (
    <Alert color="orange" role="alert" title={t('nothingRead')}>
      <List size="sm" spacing={4}>
        {refusals.slice(0, SHOWN_MAX).map(({ place, reason, detail }) => (
          <List.Item key={place} className="wrap">
            <span dir="ltr" translate="no">
              {place}
            </span>
            {': '}
            {t(`reasons.${reason}`)}
            {detail && ` (${detail})`}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

type ImportInput = {
  files: readonly ChosenFile[];
  sourceId: string | null;
  /** The address of a new source; empty for none. */
  baseUrl: string;
};
type Imported = {
  sourceId: string;
  run?: SourceRun;
  uploads: readonly SourceUpload[];
};

/** Large files over slow connections, and long documents, take longer than other calls. */
const UPLOAD_SECONDS = 300;

/** Uploads files to a source, a new one by default, and previews what they would change. */
function useImport(
  show: (progress: ImportProgress) => void,
  showRefusals: (refusals: readonly SourceRefusal[]) => void,
) {
  const { tenant } = useWorkspace();
  const open = useOpenPage();
  const onError = useSourceError();

  async function send({ files, sourceId: existingSourceId, baseUrl }: ImportInput): Promise<Imported> {
    showRefusals([]);
    const name = nameSource(files);
    const total = files.length;
    show({ done: 0, total });
    const uploads = await toUploads(files, `${name}.zip`, (done) => show({ done, total }));
    const body = { type: 'files', name, mode: 'review', ...(baseUrl && { files: { baseUrl } }) } as const;
    const sourceId = existingSourceId ?? (await tenant.call(createSource, { body })).id;
    const params = { sourceId };
    const replies: SourceUpload[] = [];
    try {
      for (const upload of uploads) {
        if (uploads.length > 1) show({ done: replies.length, total: uploads.length });
        const form = new FormData();
        form.append('file', upload.content, upload.name);
        const query = { name: upload.name };
        const options = { deadlineSeconds: UPLOAD_SECONDS };
        replies.push(await tenant.call(uploadSourceFile, { params, query, body: form, ...options }));
      }
      if (replies.some(({ documentCount }) => documentCount > 0)) {
        const run = await tenant.call(startSourceRun, { params, body: { preview: true } });
        return { sourceId, run, uploads: replies };
      }
    } catch (error) {
      if (existingSourceId === null) await tenant.call(deleteSource, { params }).catch(() => undefined);
      throw error;
    }
    if (existingSourceId === null) await tenant.call(deleteSource, { params });
    return { sourceId, uploads: replies };
  }

  return useAction(send, {
    changes: ['sources'],
    onError: (error) => isGuideError(error) && onError(error),
    onDone: async ({ sourceId, run, uploads }) => {
      if (!run) return showRefusals(uploads.flatMap(({ refusals }) => refusals));
      await open(`/sources/${sourceId}/runs/${run.id}`, { ignoreBlocker: true });
    },
  });
}

const NAME_CHARS_MAX = 60;

/** Names a source after the folder, or after the first file. */
function nameSource([first]: readonly ChosenFile[]): string {
  const path = first!.path;
  const name = path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.[a-z0-9]+$/i, '');
  return [...name].slice(0, NAME_CHARS_MAX).join('').trim() || 'files';
}
