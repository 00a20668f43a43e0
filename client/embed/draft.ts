import { readTab, writeTab } from './browser-storage.ts';

export type Draft = {
  /** Keeps what was typed before the visitor agreed to storage. */
  save: () => void;
  /** Restores what the visitor typed before the page was left or reloaded. */
  restore: () => void;
  clear: () => void;
};

/** Keeps a question that was typed but not sent, for this tab, while the visitor may be remembered. */
export function openDraft(appId: string, field: HTMLTextAreaElement, mayStore: () => boolean): Draft {
  const save = () => writeTab(appId, 'draft', mayStore() ? field.value : '');
  field.addEventListener('input', save);
  return {
    save,
    restore: () => {
      if (mayStore()) field.value ||= readTab(appId, 'draft') ?? '';
    },
    clear: () => writeTab(appId, 'draft', ''),
  };
}

/** Adds a question below what the visitor has typed; replaces one that was added before and not changed. */
export function addQuestion(field: HTMLTextAreaElement, question: string): void {
  const { added = '' } = field.dataset;
  const typed = field.value.trim() === added ? '' : field.value.trimEnd();
  field.value = typed ? `${typed}\n${question}` : question;
  field.dataset.added = typed ? '' : question.trim();
}
