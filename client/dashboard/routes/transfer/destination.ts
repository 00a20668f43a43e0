/** Where an export is written to: straight into a file where the browser can do that, else into a download at the end. */
export type Destination = {
  readonly write: (text: string) => Promise<void>;
  readonly finish: () => Promise<void>;
  /** Keeps nothing of it. */
  readonly abandon: () => Promise<void>;
};

/** The part of the File System Access API that is used; not every browser has it. */
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

/** Undefined when the person chose no file. */
export async function openDestination(name: string): Promise<Destination | undefined> {
  const picker = (window as { showSaveFilePicker?: FilePicker }).showSaveFilePicker;
  if (!picker) return intoDownload(name);
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
    // Pages of some origins may not use it.
    return intoDownload(name);
  }
}

/** Blobs of blobs, which browsers keep on their disk when they grow. */
function intoDownload(name: string): Destination {
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
