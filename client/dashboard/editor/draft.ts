/** What somebody typed and what is not saved yet, kept on the device until it is: a crash or a closed lid loses nothing. */
export type Draft<Content> = { readonly baseRevision: number; readonly content: Content };

const PREFIX = 'guidepost-draft:';

export function saveDraft<Content>(key: string, draft: Draft<Content>): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(draft));
  } catch {
    // A full or forbidden storage takes the safety net away, not the editor.
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

/** Whoever signs out leaves no text behind on a shared device. */
export function deleteAllDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}
