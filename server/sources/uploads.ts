import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
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
const STAGED = { documentsMax: SOURCE_LIMITS.sourcePagesMax, bytesMax: SOURCE_LIMITS.stagedBytesMax };

/** Stores what was read from a file. Replaces an earlier upload with the same name. */
export async function storeUpload(
  sourceId: string,
  name: string,
  { documents, skipped }: FileContents,
  sources: Sources,
): Promise<readonly Snapshot[]> {
  await clearUpload(sourceId, name, sources);
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
