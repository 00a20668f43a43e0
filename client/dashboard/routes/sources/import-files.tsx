import {
  Alert,
  Button,
  FileButton,
  List,
  Paper,
  Progress,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { Zip, ZipDeflate } from 'fflate';
import { type DragEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { SOURCE_LIMITS } from '../../../../contract/limits/sources.ts';
import { MIB } from '../../../../contract/limits/units.ts';
import {
  changeSource,
  createSource,
  deleteSource,
  startSourceRun,
  uploadSourceFile,
} from '../../../../generated/routes.ts';
import type { SourceRefusal, SourceRun, SourceUpload } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import { Icon } from '../../components/icon.tsx';
import { useOpenPage } from '../../components/links.tsx';
import { Muted, Page, READABLE_WIDTH } from '../../components/page.tsx';
import { useAction, useLeaveGuard } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { BASE_URL_INPUT, isFolderUrl } from './source-form.tsx';
import { useSourceError } from './source-queries.ts';
import { useSources } from './sources.tsx';

export default function ImportFilesPage() {
  const t = useTranslations('sources');
  return (
    <Page title={t('importTitle')} lead={t('importLead')} crumbs={[{ label: t('title'), to: '/sources' }]}>
      <RequireEditor>
        <ImportFiles />
      </RequireEditor>
    </Page>
  );
}

export const ACCEPTED = '.md,.markdown,.html,.htm,.txt,.csv,.tsv,.jsonl,.ndjson,.pdf,.docx,.zip';

function ImportFiles() {
  const t = useTranslations('sources');
  const { source: initialSourceId } = useSearch({ strict: false });
  const [sourceId, setSourceId] = useState<string | null>(initialSourceId ?? null);
  const [name, setName] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const [progress, setProgress] = useState<ImportProgress>();
  const [refusals, setRefusals] = useState<readonly SourceRefusal[]>([]);
  const upload = useImport(setProgress, setRefusals);
  const sources = (useSources().data?.data ?? []).filter(({ type }) => type === 'files');
  const isInvalid = sourceId === null && !isFolderUrl(baseUrl);
  const start = (files: readonly ChosenFile[]) =>
    files.length > 0 && upload.mutate({ files, sourceId, name: name.trim(), baseUrl: baseUrl.trim() });
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
        <TextInput
          label={t('name')}
          description={t('filesNameHint')}
          maxLength={SOURCE_LIMITS.sourceNameCharsMax}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
      )}
      {sourceId === null && (
        <TextInput
          {...BASE_URL_INPUT}
          label={t('baseUrl')}
          description={t('baseUrlHint')}
          value={baseUrl}
          onChange={({ currentTarget }) => setBaseUrl(currentTarget.value)}
          error={isInvalid && baseUrl.length > 'https://'.length && t('needBaseUrl')}
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
        <Icon name="cloud-upload" size={40} />
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

export function Refused({ refusals }: { refusals: readonly SourceRefusal[] }) {
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
  /** The name of a new source; empty for that of its files. */
  name: string;
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
export function useImport(
  show: (progress: ImportProgress) => void,
  showRefusals: (refusals: readonly SourceRefusal[]) => void,
) {
  const { tenant } = useWorkspace();
  const open = useOpenPage();
  const onError = useSourceError();

  async function send({ files, sourceId: existingSourceId, name, baseUrl }: ImportInput): Promise<Imported> {
    showRefusals([]);
    const total = files.length;
    show({ done: 0, total });
    const uploads = await toUploads(files, (done) => show({ done, total }));
    const settings = { mode: 'review', ...(baseUrl && { files: { baseUrl } }) } as const;
    const fileName = nameFile(files[0]!.path);
    const ownName = name || findFolder(files);
    const body = { type: 'files', name: ownName ?? fileName, ...settings } as const;
    const sourceId = existingSourceId ?? (await tenant.call(createSource, { body })).id;
    const params = { sourceId };
    const replies: SourceUpload[] = [];
    try {
      for (const upload of uploads) {
        if (uploads.length > 1) show({ done: replies.length, total: uploads.length });
        const form = new FormData();
        form.append('file', upload.content, upload.name);
        const query = { name: upload.name, packed: upload.packed };
        const options = { deadlineSeconds: UPLOAD_SECONDS };
        replies.push(await tenant.call(uploadSourceFile, { params, query, body: form, ...options }));
      }
      const title = replies.flatMap(({ documents }) => documents)[0]?.title.trim();
      if (existingSourceId === null && ownName === undefined && title) {
        const named = { name: cut(title), ...settings };
        await tenant.call(changeSource, { params, body: named });
      }
      if (title !== undefined) {
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

const cut = (name: string) => [...name].slice(0, SOURCE_LIMITS.sourceNameCharsMax).join('').trim();

/** Names a source after its file, until the title of the file is known. */
const nameFile = (path: string) => cut(path.replace(/^.*\//, '').replace(/\.[a-z0-9]+$/i, '')) || 'files';

/** Returns the name of the folder that contains all files, or of the only zip; undefined for loose files. */
function findFolder(files: readonly ChosenFile[]): string | undefined {
  const path = files[0]!.path;
  const folder = path.slice(0, path.indexOf('/') + 1);
  if (folder !== '' && files.every((each) => each.path.startsWith(folder)))
    return cut(folder.slice(0, -1)) || undefined;
  return files.length === 1 && isZip(path) ? nameFile(path) : undefined;
}

const isZip = (path: string) => /\.zip$/i.test(path);

/** A file that the user has chosen, with its path if it came in a folder. */
type ChosenFile = { path: string; file: File };

/** The files of one request. */
export type Upload = { name: string; content: Blob; packed?: 'whole' | 'more' };

/** The largest upload that the service takes, less room for the zip's directory. */
const ZIP_BYTES_MAX = SOURCE_LIMITS.sourceFileBytesMax - 2 * MIB;
/** Nobody sees it: places are the paths of the files. */
const ZIP_NAME = 'files.zip';

/**
 * Puts files together into zips, so that the service can tell which files are languages of the same article. Zips, and
 * files too large to be part of one, are sent as they are.
 */
async function toUploads(
  chosen: readonly ChosenFile[],
  onRead: (files: number) => void,
): Promise<readonly Upload[]> {
  const isAlone = ({ path, file }: ChosenFile) => isZip(path) || file.size > ZIP_BYTES_MAX / 2;
  const singleUploads = chosen.filter(isAlone).map(toUpload);
  const filesToZip = chosen.filter((each) => !isAlone(each));
  if (filesToZip.length < 2) return [...singleUploads, ...filesToZip.map(toUpload)];
  const zips: Upload[] = [];
  let read = 0;
  for (const part of divide(filesToZip)) {
    const content = await zip(part, (files) => {
      read += files;
      onRead(read);
    });
    zips.push({ name: ZIP_NAME, content, packed: zips.length === 0 ? 'whole' : 'more' });
  }
  return [...singleUploads, ...zips];
}

const READ_AT_ONCE = 20;

/** Reads a few files at a time, so that the page stays responsive. */
async function zip(files: readonly ChosenFile[], onRead: (files: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const archive = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part as Uint8Array<ArrayBuffer>);
  });
  for (let at = 0; at < files.length; at += READ_AT_ONCE) {
    const batch = files.slice(at, at + READ_AT_ONCE);
    const contents = await Promise.all(batch.map(({ file }) => file.arrayBuffer()));
    for (const [index, content] of contents.entries()) {
      const entry = new ZipDeflate(batch[index]!.path, { level: 1 });
      archive.add(entry);
      entry.push(new Uint8Array(content), true);
    }
    onRead(batch.length);
  }
  archive.end();
  return new Blob(parts);
}

const toUpload = ({ path, file }: ChosenFile): Upload => ({ name: path, content: file });

/** Divides files into parts that each fit into one zip. */
function divide(files: readonly ChosenFile[]): ChosenFile[][] {
  const parts: ChosenFile[][] = [[]];
  let bytes = 0;
  for (const each of files) {
    bytes += each.file.size;
    if (bytes > ZIP_BYTES_MAX || parts.at(-1)!.length === SOURCE_LIMITS.zipFilesMax) {
      parts.push([]);
      bytes = each.file.size;
    }
    parts.at(-1)!.push(each);
  }
  return parts;
}

/** Reads the dropped files, including those in folders. */
async function readDropped(items: DataTransferItemList): Promise<readonly ChosenFile[]> {
  // The browser empties the list after the first await.
  const reading = [...items].map((item) => {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (entry) return readEntry(entry);
    return file ? [{ path: file.name, file }] : [];
  });
  return (await Promise.all(reading)).flat();
}

async function readEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: ChosenFile[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    files.push(...(await Promise.all(entries.map(readEntry))).flat());
  }
}
