import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import pLimit from 'p-limit';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { throwApiError } from '../http/errors.ts';
import type { Snapshot } from '../storage/source-rows.ts';
import type { Sources } from '../storage/sources.ts';
import type { FileContents } from './document.ts';
import { toPlace, toSkippedSnapshot, toSnapshot } from './snapshot.ts';

/** Uploaded files that wait for a run. */

/** Limits of one step; storing it blocks the event loop for a few milliseconds. */
const CHARS_PER_STEP = 50_000;
const SNAPSHOTS_PER_STEP = 20;
/** Room for a number at the end of a place that two texts share. */
const PLACE_CHARS_KEPT = SOURCE_LIMITS.placeBytesMax / 4 - 20;
/** Stored concurrently, so that they share a commit. */
const UPLOADS_AT_ONCE = 8;
const NAME_CHARS_MAX = SOURCE_LIMITS.sourceFileNameCharsMax;
const STAGED = { documentsMax: SOURCE_LIMITS.sourcePagesMax, bytesMax: SOURCE_LIMITS.stagedBytesMax };

/**
 * Stores what was read from a zip that only carries loose files and folders. Each at its top is an upload of its own;
 * `isAdded` keeps what an earlier zip brought of a folder.
 */
export async function storePacked(
  sourceId: string,
  zip: string,
  { documents, skipped }: FileContents,
  { sources, isAdded }: { sources: Sources; isAdded: boolean },
): Promise<readonly Snapshot[]> {
  const strip = (place: string) => (place.startsWith(`${zip}/`) ? place.slice(zip.length + 1) : place);
  const texts = documents.map((document) => ({
    ...document,
    place: strip(document.place),
    ...(document.translationOf !== undefined && { translationOf: strip(document.translationOf) }),
  }));
  const refusals = skipped.map((each) => ({ ...each, place: strip(each.place) }));
  const textsByTop = Map.groupBy(texts, getTop);
  const refusalsByTop = Map.groupBy(refusals, getTop);
  const atOnce = pLimit(UPLOADS_AT_ONCE);
  const stored = [...new Set([...textsByTop.keys(), ...refusalsByTop.keys()])].map((top) => {
    const contents = { documents: textsByTop.get(top) ?? [], skipped: refusalsByTop.get(top) ?? [] };
    const isFolder = [...contents.documents, ...contents.skipped].some(({ place }) =>
      place.startsWith(`${top}/`),
    );
    return atOnce(() => storeUpload(sourceId, top, contents, { sources, isAdded: isAdded && isFolder }));
  });
  return (await Promise.all(stored)).flat();
}

/** A part of a file, such as `faq.csv#paying`, belongs to the file. */
const getTop = ({ place }: { place: string }) => /^[^/#]*/.exec(place)![0].slice(0, NAME_CHARS_MAX);

/** Stores what was read from a file. Replaces an earlier upload with the same name, unless it is added to that. */
export async function storeUpload(
  sourceId: string,
  name: string,
  { documents, skipped }: FileContents,
  { sources, isAdded = false }: { sources: Sources; isAdded?: boolean },
): Promise<readonly Snapshot[]> {
  if (!isAdded) await clearUpload(sourceId, name, sources);
  const origin = { upload: name };
  const snapshots = new Map<string, Snapshot>();
  const add = (snapshot: Snapshot) => {
    const { place } = snapshot;
    if (!snapshots.has(place)) snapshots.set(place, snapshot);
    else {
      const again = toPlace(`${place.slice(0, PLACE_CHARS_KEPT)}#again-${snapshots.size}`);
      snapshots.set(again, toSkippedSnapshot({ place: again, reason: 'duplicate', detail: place }, origin));
    }
  };
  let chars = 0;
  for (const document of documents) {
    add(toSnapshot(document, origin));
    chars += document.answer.length;
    if (chars > CHARS_PER_STEP) {
      chars = 0;
      await yieldToEventLoop();
    }
  }
  for (const each of skipped) {
    add(toSkippedSnapshot(each, origin));
  }
  const all = [...snapshots.values()];
  for (const step of toSteps(all)) {
    const outcome = await sources.addSnapshots(sourceId, step, STAGED);
    if (outcome === 'busy') throwApiError('source/busy');
    if (outcome === 'full') {
      await clearUpload(sourceId, name, sources);
      throwApiError('source/too_much_uploaded');
    }
    await yieldToEventLoop();
  }
  await sources.completeUpload(sourceId, name);
  return all;
}

async function clearUpload(sourceId: string, name: string, sources: Sources): Promise<void> {
  for (;;) {
    const outcome = await sources.beginUpload(sourceId, name);
    if (outcome === 'begun') return;
    if (outcome === 'busy') throwApiError('source/busy');
    if (outcome === 'gone') throwApiError('source/not_found');
    await yieldToEventLoop();
  }
}

function* toSteps(snapshots: readonly Snapshot[]): Generator<readonly Snapshot[]> {
  let step: Snapshot[] = [];
  let chars = 0;
  for (const snapshot of snapshots) {
    step.push(snapshot);
    chars += snapshot.text?.answer.length ?? 0;
    if (step.length < SNAPSHOTS_PER_STEP && chars < CHARS_PER_STEP) continue;
    yield step;
    step = [];
    chars = 0;
  }
  if (step.length > 0) yield step;
}
