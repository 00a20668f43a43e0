import { useTranslations } from 'use-intl';
import { Page } from '../components/page.tsx';

/** For somebody whose last membership ended. */
export function NoWorkspacePage() {
  const t = useTranslations('shell');
  return (
    <Page title={t('noWorkspace')} lead={t('noWorkspaceLead')}>
      {null}
    </Page>
  );
}
