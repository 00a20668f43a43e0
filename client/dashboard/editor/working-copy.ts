import { useCallback, useEffect, useRef, useState } from 'react';
import { isConflict } from '../../sdk/errors.ts';
import { deleteDraft, findDraft, saveDraft } from './draft.ts';
import type { SavingState } from './saving-state.ts';

/** A text that saves itself while it is edited, with conflict detection. */

const DEBOUNCE_MILLIS = 4000;

type Source<Content, Seen extends { readonly revision: number }> = {
  /** Identifies the draft in local storage. */
  readonly key: string;
  /** The text as last read. */
  readonly record: Seen;
  readonly getContent: (record: Seen) => Content;
  /** Whether the server would accept it. Autosave waits without an error until it does. */
  readonly isComplete: (content: Content) => boolean;
  readonly save: (seen: Seen, content: Content) => Promise<Seen>;
  /** Reads the current text, for a conflict. */
  readonly read: () => Promise<Seen>;
  readonly onSaved: (record: Seen) => void;
};

export type WorkingCopy<Content, Seen> = {
  readonly content: Content;
  readonly change: (part: Partial<Content>) => void;
  readonly state: SavingState;
  readonly error: unknown;
  /** The record as last saved or read. */
  readonly record: Seen;
  /** Resolves to the saved record, or undefined if it could not be saved. */
  readonly saveNow: () => Promise<Seen | undefined>;
  /** The newer version of someone else, until the conflict is resolved. */
  readonly theirs: Seen | undefined;
  /** Continues with this text on top of theirs. */
  readonly resolve: (content: Content) => void;
  /** Takes over the record that an action returned. */
  readonly accept: (record: Seen) => void;
};

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export function useWorkingCopy<Content extends object, Seen extends { readonly revision: number }>(
  source: Source<Content, Seen>,
): WorkingCopy<Content, Seen> {
  const { key } = source;
  const latest = useRef(source);
  latest.current = source;
  const [record, setRecord] = useState(source.record);
  const [start] = useState(() => restoreDraft(source));
  const [content, setContent] = useState<Content>(start.content);
  const [state, setState] = useState<SavingState>(start.state);
  const [error, setError] = useState<unknown>();
  const [theirs, setTheirs] = useState<Seen | undefined>(start.state === 'conflict' ? record : undefined);
  // Timers and page events need the latest values, not those of their render.
  const current = useRef({ record, content, theirs });
  current.current = { record, content, theirs };
  const running = useRef<Promise<Seen | undefined>>(undefined);

  const accept = useCallback((next: Seen) => {
    current.current = { ...current.current, record: next };
    setRecord(next);
    latest.current.onSaved(next);
  }, []);

  const save = useCallback(
    async (seen: Seen, typed: Content): Promise<Seen | undefined> => {
      try {
        const saved = await latest.current.save(seen, typed);
        accept(saved);
        setError(undefined);
        const stillTyping = !isEqual(current.current.content, typed);
        if (!stillTyping) deleteDraft(key);
        setState(stillTyping ? 'typing' : 'saved');
        return saved;
      } catch (reason) {
        setError(reason);
        setState(isConflict(reason) ? 'conflict' : 'failed');
        if (isConflict(reason)) setTheirs(await latest.current.read().catch(() => undefined));
        return undefined;
      }
    },
    [accept, key],
  );

  const saveNow = useCallback(async (): Promise<Seen | undefined> => {
    await running.current;
    const { record: seen, content: typed, theirs: other } = current.current;
    const { getContent, isComplete } = latest.current;
    if (other) return undefined;
    if (isEqual(typed, getContent(seen))) {
      deleteDraft(key);
      setState('saved');
      return seen;
    }
    setState(isComplete(typed) ? 'saving' : 'incomplete');
    if (!isComplete(typed)) return undefined;
    running.current = save(seen, typed);
    return running.current;
  }, [save, key]);

  useAutosave(key, content, state, () => current.current.record.revision, saveNow);
  return {
    content,
    state,
    error,
    record,
    theirs,
    accept,
    saveNow,
    change(part) {
      setContent((before) => ({ ...before, ...part }));
      setState((before) => (before === 'conflict' ? before : 'typing'));
    },
    resolve(next) {
      if (!theirs) return;
      current.current = { record: theirs, content: next, theirs: undefined };
      setRecord(theirs);
      setTheirs(undefined);
      setError(undefined);
      setContent(next);
      latest.current.onSaved(theirs);
      setState('typing');
      void saveNow();
    },
  };
}

/** Saves once typing pauses, when the page is hidden and when the editor closes. */
function useAutosave<Content>(
  key: string,
  content: Content,
  state: SavingState,
  getRevision: () => number,
  saveNow: () => Promise<unknown>,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the revision is read when the draft is saved
  useEffect(() => {
    if (state !== 'typing' && state !== 'incomplete') return;
    saveDraft(key, { baseRevision: getRevision(), content });
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

/** Prefers the local draft unless a newer revision was saved meanwhile. */
function restoreDraft<Content, Seen extends { readonly revision: number }>({
  key,
  record,
  getContent,
}: Source<Content, Seen>): { readonly content: Content; readonly state: SavingState } {
  const saved = getContent(record);
  const draft = findDraft<Content>(key);
  if (!draft || isEqual(draft.content, saved)) return { content: saved, state: 'saved' };
  return { content: draft.content, state: draft.baseRevision === record.revision ? 'typing' : 'conflict' };
}
