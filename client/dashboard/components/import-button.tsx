import { Button } from '@mantine/core';
import { IconCloudUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useWorkspace } from '../session.ts';

export function ImportButton() {
  const t = useTranslations('articles');
  const { tenantId } = useWorkspace();
  return (
    <Button
      component={Link}
      to={`/w/${tenantId}/sources/import`}
      variant="default"
      leftSection={<IconCloudUpload size={18} aria-hidden />}
    >
      {t('importFiles')}
    </Button>
  );
}
