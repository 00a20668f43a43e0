/** Unsaved text, kept in local storage so that it survives a crash. */
export type Draft<Content> = {
  baseRevision: number;
  /** The revision of the article that a translator has read. */
  sourceRevision?: number | undefined;
  content: Content;
};

const PREFIX = 'guidepost-draft:';

export function saveDraft<Content>(key: string, draft: Draft<Content>): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(draft));
  } catch {
    // Drafts are best effort: storage may be full or blocked.
  }
}

export function findDraft<Content>(key: string): Draft<Content> | undefined {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text ? (JSON.parse(text) as Draft<Content>) : undefined;
  } catch {
    return undefined;
  }
}

export function deleteDraft(key: string): void {
  localStorage.removeItem(PREFIX + key);
}

/** Deletes all drafts at sign-out, because others may use the device. */
export function deleteAllDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}

/**
 * `incomplete` and `failed` hold changes that the server does not have; `conflict` waits for a choice between two
 * versions, and `sourceChanged` for the translator to compare the text with the new original.
 */
export type SavingState =
  | 'saved'
  | 'typing'
  | 'saving'
  | 'incomplete'
  | 'failed'
  | 'conflict'
  | 'sourceChanged';

/** True while nothing is saved until the member has decided. */
export const needsDecision = (state: SavingState): state is 'conflict' | 'sourceChanged' =>
  state === 'conflict' || state === 'sourceChanged';
