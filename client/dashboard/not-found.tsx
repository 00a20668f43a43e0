import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Page } from './components/page.tsx';

export function NotFound() {
  const t = useTranslations('shell');
  return (
    <Page title={t('notFound')} lead={t('notFoundLead')}>
      <Anchor component={Link} to="/">
        {t('toOverview')}
      </Anchor>
    </Page>
  );
}

/** For an account without memberships. */
export function NoWorkspacePage() {
  const t = useTranslations('shell');
  return (
    <Page title={t('noWorkspace')} lead={t('noWorkspaceLead')}>
      {null}
    </Page>
  );
}
