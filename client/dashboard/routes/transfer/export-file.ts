import { useEffect, useRef, useState } from 'react';
import type { Tenant } from '../../../sdk/tenant.ts';

export type ExportState =
  | { readonly is: 'idle' | 'cancelled' }
  | { readonly is: 'running' | 'done'; readonly count: number; readonly chars: number; readonly file: string }
  | { readonly is: 'broken'; readonly error: unknown };

/** Batches writes, and throttles the progress display. */
const CHARS_AT_ONCE = 256 * 1024;
const SHOW_MILLIS = 300;

/** Streams an export into a file. */
export function useExport(tenant: Tenant, file: string) {
  const [state, setState] = useState<ExportState>({ is: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  async function start(): Promise<void> {
    const destination = await openDestination(file);
    if (!destination) return;
    const abort = new AbortController();
    running.current = abort;
    setState({ is: 'running', count: 0, chars: 0, file });
    try {
      const sum = await copy(tenant, destination, abort.signal, (progress) =>
        setState({ is: 'running', file, ...progress }),
      );
      await destination.finish();
      setState({ is: 'done', file, ...sum });
    } catch (error) {
      await destination.abandon().catch(() => undefined);
      setState(abort.signal.aborted ? { is: 'cancelled' } : { is: 'broken', error });
    } finally {
      running.current = undefined;
    }
  }
  return { state, start, cancel: () => running.current?.abort() };
}

type Progress = { readonly count: number; readonly chars: number };

async function copy(
  tenant: Tenant,
  destination: Destination,
  signal: AbortSignal,
  show: (progress: Progress) => void,
): Promise<Progress> {
  let [count, chars, gathered, shownAt] = [0, 0, '', 0];
  for await (const line of tenant.export({ signal })) {
    const text = `${JSON.stringify(line)}\n`;
    gathered += text;
    chars += text.length;
    // The `end` line describes the file and is not a record.
    if (line.type !== 'end') count += 1;
    if (gathered.length >= CHARS_AT_ONCE) {
      await destination.write(gathered);
      gathered = '';
    }
    if (performance.now() - shownAt > SHOW_MILLIS) {
      show({ count, chars });
      shownAt = performance.now();
    }
  }
  signal.throwIfAborted();
  await destination.write(gathered);
  return { count, chars };
}

/** Writes straight to a file where the browser supports it, otherwise to a download. */
type Destination = {
  readonly write: (text: string) => Promise<void>;
  readonly finish: () => Promise<void>;
  /** Discards the file. */
  readonly abandon: () => Promise<void>;
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

/** Undefined if no file was chosen. */
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

/** Browsers keep large blobs on disk. */
function createDownload(name: string): Destination {
  let parts: Blob[] = [];
  return {
    write: async (text) => void parts.push(new Blob([text])),
    async finish() {
      const url = URL.createObjectURL(new Blob(parts, { type: MIME }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
    abandon: async () => {
      parts = [];
    },
  };
}
