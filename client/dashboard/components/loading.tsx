import { Center, Loader, VisuallyHidden } from '@mantine/core';
import { useTranslations } from 'use-intl';

export function Loading() {
  const t = useTranslations('shell');
  return (
    <Center mih={160} role="status">
      <Loader aria-hidden type="dots" />
      <VisuallyHidden>{t('loading')}</VisuallyHidden>
    </Center>
  );
}
