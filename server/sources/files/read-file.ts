import pLimit from 'p-limit';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import type { FileContents, SkipCause, Skipped, SourceDocument } from '../document.ts';
import { createReaderThread } from '../reader-thread.ts';
import type { OpenedUpload, ReaderTask } from '../reader-worker.ts';
import type { FileSettings } from './read-entry.ts';
import type { Content, ReadDocument } from './reader.ts';

type ReadLimits = {
  /** For one file. */
  secondsMax: number;
  /** For all files of a zip. */
  uploadSecondsMax: number;
  /** Memory of the thread. */
  memoryBytesMax: number;
};

const READ_LIMITS: ReadLimits = {
  secondsMax: SOURCE_LIMITS.readSecondsMax,
  uploadSecondsMax: SOURCE_LIMITS.uploadSecondsMax,
  memoryBytesMax: SOURCE_LIMITS.readMemoryBytesMax,
};

/** Each upload takes memory and a core, so uploads are read one after another. */
const oneAtATime = pLimit(1);
const thread = createReaderThread();

/**
 * Reads a file, or the files in a zip, in a worker thread. Skips a file that cannot be read, or takes
 * too much time or memory; if such a file ends the thread, a new one continues with the next file.
 * Rejects only with the reason of an abort.
 */
export function readFile(
  { name, bytes }: { name: string; bytes: Uint8Array },
  { signal, sourceLocale, baseUrl, nowMillis }: FileSettings & { signal: AbortSignal },
  { secondsMax, uploadSecondsMax, memoryBytesMax } = READ_LIMITS,
): Promise<FileContents> {
  return oneAtATime(async () => {
    const documents: ReadDocument[] = [];
    const skipped: Skipped[] = [];
    const deadline = performance.now() + uploadSecondsMax * 1000;
    const run = async <Result>(task: ReaderTask): Promise<Result | SkipCause> => {
      const millisMax = Math.min(secondsMax * 1000, deadline - performance.now());
      if (millisMax <= 0) return { reason: 'timeout' };
      return await thread.run<Result>(task, { signal, millisMax, memoryBytesMax });
    };
    const open = () => run<OpenedUpload>({ kind: 'upload', name, bytes, sourceLocale, nowMillis });
    const upload = await open();
    const places = 'places' in upload ? upload.places : [];
    skipped.push(...('places' in upload ? upload.skipped : [{ place: name, ...upload }]));
    for (const [at, place] of places.entries()) {
      const content = await run<Content>({ kind: 'file', at, sourceLocale, baseUrl, nowMillis });
      if ('documents' in content) {
        documents.push(...content.documents);
        skipped.push(...content.skipped);
        continue;
      }
      skipped.push({ place, ...content });
      // The file ended the thread.
      const again = at + 1 < places.length ? await open() : upload;
      if ('places' in again) continue;
      skipped.push(...places.slice(at + 1).map((unread) => ({ place: unread, ...again })));
      break;
    }
    const linked = linkTranslations(documents, sourceLocale);
    return { documents: linked.documents, skipped: [...skipped, ...linked.skipped] };
  });
}

/**
 * Links translations to their sources. The source of an article is its document in the source locale,
 * else its first one; the others translate it. Skips a second document in the same language.
 */
function linkTranslations(read: readonly ReadDocument[], sourceLocale: string): FileContents {
  const skipped: Skipped[] = [];
  const documents: SourceDocument[] = [];
  const articles = Map.groupBy(read, ({ article, place }) => article ?? `\0${place}`);
  for (const variants of articles.values()) {
    const source = variants.find(({ locale }) => locale === sourceLocale) ?? variants[0]!;
    const placesByLocale = new Map([[source.locale, source.place]]);
    const { article: _, ...first } = source;
    documents.push(first);
    for (const { article: _, ...document } of variants) {
      if (document.place === source.place) continue;
      const earlierPlace = placesByLocale.get(document.locale);
      if (earlierPlace === undefined) {
        placesByLocale.set(document.locale, document.place);
        documents.push({ ...document, translationOf: source.place });
      } else skipped.push({ place: document.place, reason: 'duplicate', detail: earlierPlace });
    }
  }
  return { documents, skipped };
}
