import { Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.tsx';
import { ForChangersOnly } from '../settings/settings-view.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { ExportEverything } from './export-everything.tsx';

export function DataPage() {
  const t = useTranslations('data');
  return (
    <Page title={t('title')}>
      <ForChangersOnly>
        <Stack>
          <ExportEverything />
          <DeleteWorkspace />
        </Stack>
      </ForChangersOnly>
    </Page>
  );
}
