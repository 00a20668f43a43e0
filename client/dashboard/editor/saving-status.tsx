import { Button, Group, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useErrorText } from '../components/error-message.tsx';
import { IconAlertTriangle, IconCheck, IconCloudUpload, IconPencil } from '../components/icons.tsx';
import { isWaiting, type SavingState } from './saving-state.ts';

const ICONS = {
  saved: IconCheck,
  typing: IconPencil,
  saving: IconCloudUpload,
  incomplete: IconPencil,
  failed: IconAlertTriangle,
  conflict: IconAlertTriangle,
  sourceChanged: IconAlertTriangle,
};

type SavingNoteProps = {
  readonly copy: {
    readonly state: SavingState;
    readonly error: unknown;
    readonly saveNow: () => Promise<unknown>;
  };
};

/** Announced politely, and assertively only when saving failed. */
export function SavingStatus({ copy }: SavingNoteProps) {
  const t = useTranslations('editor');
  const errorText = useErrorText();
  const { state, error, saveNow } = copy;
  const Icon = ICONS[state];
  const bad = state === 'failed' || isWaiting(state);
  return (
    <Group
      gap={6}
      wrap="nowrap"
      role={bad ? 'alert' : 'status'}
      c={bad ? 'var(--mantine-color-error)' : 'dimmed'}
    >
      <Icon size={16} aria-hidden />
      <Text size="sm">{state === 'failed' ? `${t('failed')} ${errorText(error)}` : t(state)}</Text>
      {state === 'failed' && (
        <Button size="compact-sm" variant="default" onClick={() => void saveNow()}>
          {t('saveNow')}
        </Button>
      )}
    </Group>
  );
}
