import { Button, Group, Kbd, Text } from '@mantine/core';
import { useHotkeys, useOs } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Icon } from '../components/icon.tsx';
import { useOpenPage } from '../components/links.tsx';
import { useWorkspace } from '../session.ts';
import { PAGES } from './pages.ts';

/** Lazy: both open only on a click or a key. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const ShortcutSheet = lazy(async () => ({ default: (await import('./shortcuts.tsx')).ShortcutSheet }));

/** The command palette and the sheet of shortcuts, with the button and the keys that open them. */
export function Commands() {
  const t = useTranslations('palette');
  const [opened, setOpened] = useState<'palette' | 'shortcuts'>();
  const [singleKeys, setSingleKeys] = useSingleKeys();
  const close = () => setOpened(undefined);
  const showShortcuts = () => setOpened('shortcuts');
  const modifier = useOs() === 'macos' ? '⌘' : 'Ctrl';
  useHotkeys([['mod+K', () => setOpened(opened === 'palette' ? undefined : 'palette')]], []);
  useSingleKeyShortcuts(singleKeys, showShortcuts);
  return (
    <>
      <Button variant="default" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpened('palette')}>
        <Group gap="xs" wrap="nowrap">
          <Icon name="search" />
          <Text span size="sm" className="wide-only">
            {t('button')}
          </Text>
          <Kbd size="xs" visibleFrom="md" aria-hidden>
            {modifier} K
          </Kbd>
        </Group>
      </Button>
      <Suspense>
        {opened === 'palette' && <Palette close={close} showShortcuts={showShortcuts} />}
        {opened === 'shortcuts' && (
          <ShortcutSheet close={close} singleKeys={singleKeys} setSingleKeys={setSingleKeys} />
        )}
      </Suspense>
    </>
  );
}

const SEQUENCE_MILLIS = 1500;

/** Handles `?` for the sheet, `c` for a new article, and `g` with a letter for a page, unless the user is typing. */
function useSingleKeyShortcuts(enabled: boolean, showShortcuts: () => void): void {
  const openPage = useOpenPage();
  const { canEdit } = useWorkspace();
  const goPressedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (!enabled) return;
    const open = (path: string) => void openPage(path);
    function press(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || ignoresSingleKeys(event.target)) return;
      const afterGo = event.timeStamp - goPressedAt.current < SEQUENCE_MILLIS;
      goPressedAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const page = PAGES.find(({ letter, editorsOnly }) => letter === event.key && (canEdit || !editorsOnly));
      if (afterGo && page) open(page.path);
      else if (event.key === '?') showShortcuts();
      else if (event.key === 'c' && canEdit) open('/articles/new');
      else return;
      event.preventDefault();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

const STORAGE_KEY = 'guidepost-single-keys';

/** Whether single-key shortcuts are on. Users of speech input switch them off. */
export function useSingleKeys() {
  const [enabled, setEnabled] = useState(() => localStorage.getItem(STORAGE_KEY) !== 'off');
  const change = (to: boolean) => {
    localStorage.setItem(STORAGE_KEY, to ? 'on' : 'off');
    setEnabled(to);
  };
  return [enabled, change] as const;
}

/** True while any dialog is open, or when the target is a field, menu or list. */
export function ignoresSingleKeys(target: EventTarget | null): boolean {
  return (
    document.querySelector('[role=dialog]') !== null ||
    (target instanceof Element &&
      target.closest('input, textarea, select, [contenteditable], [role=menu], [role=listbox]') !== null)
  );
}
