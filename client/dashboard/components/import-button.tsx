import { IconCloudUpload } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { ButtonLink } from './links.tsx';

export function ImportButton() {
  const t = useTranslations('articles');
  return (
    <ButtonLink
      to="/sources/import"
      variant="default"
      leftSection={<IconCloudUpload size={18} aria-hidden />}
    >
      {t('importFiles')}
    </ButtonLink>
  );
}
