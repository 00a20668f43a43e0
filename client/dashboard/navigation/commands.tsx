import { Button, Group, Kbd, Text } from '@mantine/core';
import { useHotkeys, useOs } from '@mantine/hooks';
import { lazy, Suspense, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Icon } from '../components/icon.tsx';
import { useOpenPage } from '../components/links.tsx';
import { useKeys, useSingleKeys } from '../components/single-keys.ts';
import { withFurtherTexts } from '../languages.ts';
import { useWorkspace } from '../session.ts';
import { PAGES } from './pages.ts';

/** Lazy: both open only on a click or a key. */
const Palette = lazy(async () => ({ default: (await withFurtherTexts(import('./palette.tsx'))).Palette }));
const ShortcutSheet = lazy(async () => ({
  default: (await withFurtherTexts(import('./shortcuts.tsx'))).ShortcutSheet,
}));

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
  useKeys((event) => {
    const afterGo = event.timeStamp - goPressedAt.current < SEQUENCE_MILLIS;
    goPressedAt.current = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
    const page = PAGES.find(({ letter, editorsOnly }) => letter === event.key && (canEdit || !editorsOnly));
    if (afterGo && page) void openPage(page.path);
    else if (event.key === '?') showShortcuts();
    else if (event.key === 'c' && canEdit) void openPage('/articles/new');
    else return false;
    return true;
  }, enabled);
}
