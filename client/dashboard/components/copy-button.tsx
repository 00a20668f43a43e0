import { Button, type ButtonProps, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';

export function CopyText({ text, label, ...props }: ButtonProps & { text: string; label?: string }) {
  const t = useTranslations('shell');
  return (
    <CopyButton value={text} timeout={4000}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          onClick={copy}
          {...props}
        >
          <span aria-live="polite">{copied ? t('copied') : (label ?? t('copy'))}</span>
        </Button>
      )}
    </CopyButton>
  );
}
