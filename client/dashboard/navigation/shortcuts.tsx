import '../theme-controls.css';
import { Modal, Stack, Switch } from '@mantine/core';
import { useOs } from '@mantine/hooks';
import { useTranslations } from 'use-intl';
import { ShortcutTable } from '../components/shortcut-table.tsx';
import { useWorkspace } from '../session.ts';
import { PAGES } from './pages.ts';

type ShortcutSheetProps = {
  close: () => void;
  singleKeys: boolean;
  setSingleKeys: (enabled: boolean) => void;
};

/** Lists all shortcuts. Users of speech input can switch off those of single keys. */
export function ShortcutSheet({ close, singleKeys, setSingleKeys }: ShortcutSheetProps) {
  const t = useTranslations();
  const { canEdit } = useWorkspace();
  const modifier = useOs() === 'macos' ? '⌘' : 'Ctrl';
  const pages = PAGES.filter(({ editorsOnly }) => canEdit || !editorsOnly);
  const goTo = pages.map(
    ({ key, letter }) => [['G', letter.toUpperCase()], t(`shell.pages.${key}`)] as const,
  );
  const general = [
    [[modifier, 'K'], t('palette.title')],
    [['?'], t('palette.shortcuts')],
    ...(canEdit ? [[['C'], t('articles.new')] as const] : []),
  ] as const;
  const inInbox = [
    [['J'], t('inbox.keys.next')],
    [['K'], t('inbox.keys.previous')],
    ...(canEdit
      ? [
          [['E'], t('inbox.resolve')] as const,
          [['A'], t('inbox.assign')] as const,
          [['N'], t('inbox.write')] as const,
          [['R'], t('inbox.askAgain')] as const,
          [['D'], t('inbox.dismiss')] as const,
        ]
      : []),
  ] as const;
  const inHandovers = [
    [['J'], t('palette.nextRow')],
    [['K'], t('palette.previousRow')],
    [['E'], t('handovers.markAnswered')],
    [['A'], t('inbox.assignToMe')],
  ] as const;
  const inLists = [
    [['J'], t('palette.nextRow')],
    [['K'], t('palette.previousRow')],
    [['Enter'], t('palette.openRow')],
    ...(canEdit ? [[['X'], t('palette.selectRow')] as const] : []),
  ] as const;
  const inTasks = [
    [['J'], t('reviewQueue.next')],
    [['K'], t('reviewQueue.previous')],
    [['E'], t('reviewQueue.open')],
    ...(canEdit ? [[['A'], t('reviewQueue.decide')] as const] : []),
  ] as const;
  const writing = [
    [[modifier, 'S'], t('editor.shortcutSave')],
    [[modifier, 'Enter'], t('editor.shortcutNext')],
  ] as const;
  return (
    <Modal opened onClose={close} title={t('palette.shortcuts')} size="md">
      <Stack>
        <ShortcutTable title={t('palette.general')} rows={general} />
        <ShortcutTable title={t('palette.goTo')} rows={goTo} />
        <ShortcutTable title={t('palette.inLists')} rows={inLists} />
        <ShortcutTable title={t('inbox.title')} rows={inInbox} />
        <ShortcutTable title={t('handovers.title')} rows={inHandovers} />
        <ShortcutTable title={t('reviewQueue.title')} rows={inTasks} />
        {canEdit && <ShortcutTable title={t('palette.writing')} rows={writing} />}
        <Switch
          label={t('palette.singleKeys')}
          description={t('palette.singleKeysHint')}
          checked={singleKeys}
          onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
