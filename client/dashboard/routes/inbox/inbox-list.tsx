import { Stack } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { InboxGroup } from '../../../sdk/types.ts';
import { useOpenPage } from '../../components/links.tsx';
import { ignoresSingleKeys, useSingleKeys } from '../../navigation/single-keys.ts';
import { useWorkspace } from '../../session.ts';
import { useInboxActions } from './inbox-actions.ts';
import { InboxCard } from './inbox-card.tsx';

/** One group is current: `j` and `k` move to the next and previous one, other keys act on it. */
export function InboxList({ groups }: { groups: readonly InboxGroup[] }) {
  const t = useTranslations('inbox');
  const [currentId, setCurrentId] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const focusGroup = (id: string) =>
    list.current?.querySelector<HTMLElement>(`[data-group="${CSS.escape(id)}"]`)?.focus();
  useInboxKeys(groups, currentId, (id) => {
    setCurrentId(id);
    focusGroup(id);
  });
  const linkedId = useLocation({ select: ({ hash }) => hash });
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus the linked group once, after loading
  useEffect(() => {
    if (linkedId) focusGroup(linkedId);
  }, [linkedId]);
  return (
    <Stack ref={list} role="list" aria-label={t('list')}>
      {groups.map((group) => (
        <InboxCard key={group.id} group={group} onFocus={() => setCurrentId(group.id)} />
      ))}
    </Stack>
  );
}

function useInboxKeys(
  groups: readonly InboxGroup[],
  currentId: string | undefined,
  moveTo: (id: string) => void,
): void {
  const [enabled] = useSingleKeys();
  const open = useOpenPage();
  const { memberId, canEdit } = useWorkspace();
  const actions = useInboxActions();
  useEffect(() => {
    if (!enabled) return;
    const currentIndex = groups.findIndex(({ id }) => id === currentId);
    const step = (by: 1 | -1) => {
      const next = groups[Math.min(groups.length - 1, Math.max(0, currentIndex + by))];
      if (next) moveTo(next.id);
    };
    function act(key: string, group: InboxGroup): boolean {
      if (key === 'e') actions.change.mutate({ group, change: { state: 'resolved' } });
      else if (key === 'd') actions.change.mutate({ group, change: { state: 'dismissed' } });
      else if (key === 'a') {
        const assigneeId = group.assigneeId === memberId ? null : memberId;
        actions.change.mutate({ group, change: { assigneeId } });
      } else if (key === 'r') actions.askAgain.mutate(group);
      else if (key === 'n') void open('/articles/new', { search: { inbox: group.id } });
      else return false;
      return true;
    }
    function press(event: KeyboardEvent): void {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        ignoresSingleKeys(event.target)
      )
        return;
      const current = groups[currentIndex];
      if (event.key === 'j') step(1);
      else if (event.key === 'k') step(-1);
      else if (!canEdit || !current || !act(event.key, current)) return;
      event.preventDefault();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}
