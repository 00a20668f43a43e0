import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

type DialogButtonsProps = {
  readonly cancel: () => void;
  readonly locked?: boolean;
  /** The button that submits. */
  readonly children: ReactNode;
};

/** The last row of a form in a dialog. */
export function DialogButtons({ cancel, locked = false, children }: DialogButtonsProps) {
  const t = useTranslations('shell');
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={cancel} disabled={locked}>
        {t('cancel')}
      </Button>
      {children}
    </Group>
  );
}
