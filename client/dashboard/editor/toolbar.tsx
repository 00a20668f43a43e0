import { Button, Group, Popover, Text } from '@mantine/core';
import { type HotkeyItem, useDisclosure, useHotkeys, useOs } from '@mantine/hooks';
import { onlineManager } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { RelativeTime } from '../components/attribution.tsx';
import { IconButton } from '../components/buttons.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { useErrorText } from '../components/loading.tsx';
import { ShortcutTable } from '../components/shortcut-table.tsx';
import { needsDecision, type SavingState } from './draft.ts';

const ICONS = {
  saved: 'check',
  typing: 'pencil',
  saving: 'cloud-upload',
  incomplete: 'pencil',
  failed: 'alert-triangle',
  conflict: 'alert-triangle',
  sourceChanged: 'alert-triangle',
} as const satisfies Record<SavingState, IconName>;

type SavingNoteProps = {
  copy: {
    state: SavingState;
    error: unknown;
    saveNow: () => Promise<unknown>;
    record: { updatedAt: string };
  };
};

/** Announced politely, and assertively only when saving failed. */
export function SavingStatus({ copy }: SavingNoteProps) {
  const t = useTranslations('editor');
  const errorText = useErrorText();
  const { state, error, saveNow, record } = copy;
  const isOffline = state === 'failed' && !onlineManager.isOnline();
  const failure = isOffline ? t('offline') : `${t('failed')} ${errorText(error)}`;
  const icon = ICONS[state];
  const needsAttention = state === 'failed' || needsDecision(state);
  return (
    <Group
      gap={6}
      wrap="nowrap"
      role={needsAttention ? 'alert' : 'status'}
      c={needsAttention ? 'var(--mantine-color-error)' : 'dimmed'}
    >
      <Icon name={icon} />
      <Text size="sm">{state === 'failed' ? failure : t(state)}</Text>
      {state === 'saved' && (
        <Text size="sm">
          <RelativeTime at={record.updatedAt} />
        </Text>
      )}
      {state === 'failed' && (
        <Button size="compact-sm" variant="default" onClick={() => void saveNow()}>
          {t('saveNow')}
        </Button>
      )}
    </Group>
  );
}

/** Handles keys also while the user is typing. */
export const useTypingKeys = (keys: HotkeyItem[]) => useHotkeys(keys, [], true);

/** Help for the editor's keyboard shortcuts. All use a modifier, so typing never triggers one. */
export function Shortcuts({ hasParagraphs = false }: { hasParagraphs?: boolean }) {
  const t = useTranslations('editor');
  const [opened, { toggle, close }] = useDisclosure(false);
  const modifier = useOs() === 'macos' ? '⌘' : 'Ctrl';
  useTypingKeys([['mod+/', toggle]]);
  const rows = [
    ['S', t('shortcutSave')],
    ['Enter', t('shortcutNext')],
    ['/', t('shortcutHelp')],
    ['B', t('format.bold')],
    ['I', t('format.italic')],
    ['K', t('format.link')],
    ['E', t('format.code')],
    ['Alt + 2', t('format.heading')],
    ['Shift + 8', t('format.bullets')],
    ['Shift + 7', t('format.numbers')],
    ['Alt + T', t('format.table')],
    ['Z', t('format.undo')],
    ['Shift + Z', t('format.redo')],
  ].map(([key, words = '']) => [[`${modifier} + ${key}`], words] as const);
  const paragraphRows = [
    [['Alt + Page Down'], t('shortcutNextParagraph')],
    [['Alt + Page Up'], t('shortcutPreviousParagraph')],
    [['F8'], t('shortcutNextChange')],
    [['Shift + F8'], t('shortcutPreviousChange')],
  ] as const;
  return (
    <Popover opened={opened} onDismiss={close} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <IconButton icon="keyboard" label={t('shortcuts')} onClick={toggle} visibleFrom="sm" />
      </Popover.Target>
      <Popover.Dropdown aria-label={t('shortcuts')}>
        <ShortcutTable rows={hasParagraphs ? [...rows, ...paragraphRows] : rows} />
      </Popover.Dropdown>
    </Popover>
  );
}
