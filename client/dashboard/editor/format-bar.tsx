import { ActionIcon, FileButton, Group, Tooltip, useDirection } from '@mantine/core';
import { useOs, useRovingIndex } from '@mantine/hooks';
import { type ComponentPropsWithRef, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { Icon } from '../components/icon.tsx';
import { IMAGE_TYPES } from '../images.ts';

export type FormatAction =
  | 'bold'
  | 'italic'
  | 'heading'
  | 'subheading'
  | 'bullets'
  | 'numbers'
  | 'link'
  | 'code'
  | 'table'
  | 'callout'
  | 'video'
  | 'undo'
  | 'redo';

/** The buttons in order, with the keys that do the same. */
const BUTTONS = [
  ['bold', 'bold', 'B'],
  ['italic', 'italic', 'I'],
  ['heading', 'heading', 'Alt+2'],
  ['bullets', 'list', 'Shift+8'],
  ['numbers', 'list-numbers', 'Shift+7'],
  ['link', 'link', 'K'],
  ['code', 'code', 'E'],
  ['table', 'table', 'Alt+T'],
  ['callout', 'info-circle', 'Alt+C'],
  ['image', 'photo', ''],
  ['video', 'player-play', ''],
  ['undo', 'arrow-back-up', 'Z'],
  ['redo', 'arrow-forward-up', 'Shift+Z'],
] as const;

type FormatBarProps = {
  run: (action: FormatAction) => void;
  insertImages: (files: readonly File[]) => void;
  canUndo: boolean;
  canRedo: boolean;
};

/** A toolbar as ARIA describes it: Tab reaches one button, the arrow keys the others. */
export function FormatBar({ run: format, insertImages, canUndo, canRedo }: FormatBarProps) {
  const t = useTranslations('editor');
  const { dir } = useDirection();
  const { getItemProps, setFocusedIndex } = useRovingIndex({ total: BUTTONS.length, dir });
  const unavailable = {
    undo: canUndo ? undefined : t('nothingToUndo'),
    redo: canRedo ? undefined : t('nothingToRedo'),
  };
  // The button for images opens the dialog of a file field.
  const chooseFile = useRef<() => void>(() => {});
  return (
    <Group gap={2} role="toolbar" aria-label={t('formatting')} className="format-bar">
      <FileButton multiple accept={IMAGE_TYPES} onChange={(files) => insertImages(files)}>
        {({ onClick }) => {
          chooseFile.current = onClick;
          return null;
        }}
      </FileButton>
      {BUTTONS.map((button, index) => {
        const [action] = button;
        const reason = action === 'undo' || action === 'redo' ? unavailable[action] : undefined;
        const run = () => {
          if (action === 'image') chooseFile.current();
          else if (!reason) format(action);
        };
        return (
          <FormatButton
            key={action}
            button={button}
            reason={reason}
            onFocus={() => setFocusedIndex(index)}
            {...getItemProps({ index, onClick: run })}
          />
        );
      })}
    </Group>
  );
}

type FormatButtonProps = ComponentPropsWithRef<'button'> & {
  button: (typeof BUTTONS)[number];
  /** Why the button does nothing now. */
  reason: string | undefined;
};

function FormatButton({ button: [action, icon, key], reason, ...button }: FormatButtonProps) {
  const t = useTranslations('editor');
  const modifier = useOs() === 'macos' ? '⌘' : 'Ctrl';
  const label = t(`format.${action}`);
  const hint = reason ?? (key === '' ? label : `${label} (${modifier}+${key})`);
  return (
    <Tooltip label={hint} events={{ hover: true, focus: true, touch: false }} withinPortal={false}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={label}
        {...(reason && { 'data-disabled': true, 'aria-disabled': true, 'aria-description': reason })}
        {...button}
      >
        <Icon name={icon} size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
