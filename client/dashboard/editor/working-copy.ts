import { type Dispatch, type RefObject, type SetStateAction, useEffect, useRef, useState } from 'react';
import { isConflict, isGuideError } from '../../sdk/errors.ts';
import { useAutomaticRetry } from '../components/loading.tsx';
import { signedInAgain } from '../session.ts';
import { deleteDraft, findDraft, needsDecision, type SavingState, saveDraft } from './draft.ts';

/** A text that saves itself while it is edited, with conflict detection. */

const DEBOUNCE_MILLIS = 500;

/** A translation is also based on a revision of its article. */
type Revisions = { revision: number; currentSourceRevision?: number | undefined };

type Source<Content, Stored extends Revisions> = {
  /** Identifies the draft in local storage. */
  key: string;
  /** The text as last read. */
  record: Stored;
  getContent: (record: Stored) => Content;
  /** Whether the server would accept the content. Until then, autosave waits without an error. */
  isComplete: (content: Content) => boolean;
  save: (base: Stored, content: Content) => Promise<Stored>;
  /** Reads the current text, for a conflict. */
  read: () => Promise<Stored>;
  onSaved: (record: Stored) => void;
};

type CopyState<Content, Stored> = {
  content: Content;
  state: SavingState;
  error: unknown;
  /** The record as last saved or read. */
  record: Stored;
  /** The record with someone else's newer version, or with a newer article, until the conflict is resolved. */
  theirs: Stored | undefined;
};

export type WorkingCopy<Content, Stored> = CopyState<Content, Stored> & {
  change: (part: Partial<Content>) => void;
  /** Resolves to the saved record, or undefined if it could not be saved. */
  saveNow: () => Promise<Stored | undefined>;
  /** Continues with this text, based on the newer version. */
  resolve: (content: Content) => void;
  /** Takes over the record that an action returned. */
  accept: (record: Stored) => void;
};

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export function useWorkingCopy<Content extends object, Stored extends Revisions>(
  source: Source<Content, Stored>,
): WorkingCopy<Content, Stored> {
  const latest = useRef(source);
  latest.current = source;
  const [copy, setCopy] = useState(() => restoreDraft(source));
  // Timers and page events need the latest values, not those of their render.
  const current = useRef(copy);
  current.current = copy;
  const [{ update, accept, saveNow }] = useState(() => createSaving(latest, current, setCopy));
  useAutosave(source.key, copy, () => current.current.record, saveNow);
  useAutomaticRetry(copy.state === 'failed' ? copy.error : undefined, saveNow);
  return {
    ...copy,
    accept,
    saveNow,
    change(part) {
      setCopy((before) => ({
        ...before,
        content: { ...before.content, ...part },
        state: needsDecision(before.state) ? before.state : 'typing',
      }));
    },
    resolve(content) {
      if (!copy.theirs) return;
      const { currentSourceRevision } = copy.state === 'conflict' ? copy.record : copy.theirs;
      update({
        record: { ...copy.theirs, currentSourceRevision },
        content,
        theirs: undefined,
        error: undefined,
        state: 'typing',
      });
      latest.current.onSaved(copy.theirs);
      void saveNow();
    },
  };
}

/** Creates the functions that outlive a render, so they read the latest values. */
function createSaving<Content extends object, Stored extends Revisions>(
  latest: RefObject<Source<Content, Stored>>,
  current: RefObject<CopyState<Content, Stored>>,
  setCopy: Dispatch<SetStateAction<CopyState<Content, Stored>>>,
) {
  let running: Promise<Stored | undefined> | undefined;

  function update(part: Partial<CopyState<Content, Stored>>): void {
    current.current = { ...current.current, ...part };
    setCopy((before) => ({ ...before, ...part }));
  }

  function accept(record: Stored): void {
    update({ record });
    latest.current.onSaved(record);
  }

  async function save(base: Stored, typed: Content): Promise<Stored | undefined> {
    try {
      const saved = await latest.current.save(base, typed);
      accept(saved);
      const stillTyping = !isEqual(current.current.content, typed);
      if (!stillTyping) deleteDraft(latest.current.key);
      update({ error: undefined, state: stillTyping ? 'typing' : 'saved' });
      return saved;
    } catch (error) {
      if (await signedInAgain(error)) return save(base, typed);
      const isSourceChanged = isGuideError(error, 'translation/source_changed');
      const state = isSourceChanged ? 'sourceChanged' : isConflict(error) ? 'conflict' : 'failed';
      update({ error, state });
      if (!needsDecision(state)) return undefined;
      const theirs = await latest.current.read().catch(() => undefined);
      // Someone may have changed the translation as well.
      update({ theirs, state: theirs && theirs.revision !== base.revision ? 'conflict' : state });
      return undefined;
    }
  }

  async function saveNow(): Promise<Stored | undefined> {
    await running;
    const { record, content, theirs } = current.current;
    const { key, getContent, isComplete } = latest.current;
    if (theirs) return undefined;
    if (isEqual(content, getContent(record))) {
      deleteDraft(key);
      update({ state: 'saved' });
      return record;
    }
    update({ state: isComplete(content) ? 'saving' : 'incomplete' });
    if (!isComplete(content)) return undefined;
    running = save(record, content);
    return running;
  }

  return { update, accept, saveNow };
}

/** Saves once typing pauses, when the page is hidden and when the editor closes. */
function useAutosave<Content>(
  key: string,
  { content, state }: CopyState<Content, unknown>,
  getRevisions: () => Revisions,
  saveNow: () => Promise<unknown>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision is read when the draft is saved
  useEffect(() => {
    if (state === 'saved' || state === 'saving') return;
    const { revision: baseRevision, currentSourceRevision: sourceRevision } = getRevisions();
    saveDraft(key, { baseRevision, sourceRevision, content });
    if (state !== 'typing' && state !== 'incomplete') return;
    const timer = setTimeout(saveNow, DEBOUNCE_MILLIS);
    return () => clearTimeout(timer);
  }, [content, state, key, saveNow]);

  useEffect(() => {
    const leave = () => document.visibilityState === 'hidden' && void saveNow();
    document.addEventListener('visibilitychange', leave);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      void saveNow();
    };
  }, [saveNow]);
}

/** Uses the local draft unless a newer revision was saved, or the article changed, since. */
function restoreDraft<Content, Stored extends Revisions>({
  key,
  record,
  getContent,
}: Source<Content, Stored>): CopyState<Content, Stored> {
  const saved = {
    record,
    content: getContent(record),
    state: 'saved',
    error: undefined,
    theirs: undefined,
  } as const;
  const draft = findDraft<Content>(key);
  if (!draft || isEqual(draft.content, saved.content)) return saved;
  const { content } = draft;
  const { sourceRevision = record.currentSourceRevision } = draft;
  if (draft.baseRevision === record.revision) {
    if (sourceRevision === record.currentSourceRevision) return { ...saved, content, state: 'typing' };
    const base = { ...record, currentSourceRevision: sourceRevision };
    return { ...saved, content, record: base, state: 'sourceChanged', theirs: record };
  }
  const base = { ...record, revision: draft.baseRevision, currentSourceRevision: sourceRevision };
  return { ...saved, content, record: base, state: 'conflict', theirs: record };
}
