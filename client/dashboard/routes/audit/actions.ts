import { useTranslations } from 'use-intl';

/** What the service writes down, by what it is done to. */
export const ACTIONS = {
  workspace: ['created', 'changed', 'enabled', 'disabled'],
  member: ['added', 'role_changed', 'removed', 'left'],
  invitation: ['created', 'withdrawn', 'accepted'],
  api_key: ['created', 'revoked', 'sent_in_address'],
  password: ['changed', 'reset'],
  article: ['created', 'edited', 'published', 'unpublished', 'imported', 'deleted'],
  translation: [
    'created',
    'edited',
    'submitted',
    'approved',
    'changes_requested',
    'published',
    'archived',
    'restored',
    'imported',
  ],
  knowledge: ['imported'],
  kill_switch: ['on', 'off'],
} as const;

/** An action in words; one that this page does not know yet by its name. */
export function useActionText(): (action: string) => string {
  const t = useTranslations('audit.actions');
  return (action) => (t.has(action as never) ? t(action as 'workspace.changed') : action);
}
