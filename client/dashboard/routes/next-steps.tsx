import { List } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { PageLink } from '../components/links.tsx';
import { Card } from '../components/page.tsx';
import { languageNames } from '../languages.ts';
import { useCoverage, useInboxTop, useIsMissing } from '../session.ts';

const LANGUAGES_MAX = 2;

/** What raises the share of answers next, each with the page to do it on. Nothing once all is done. */
export function NextSteps({ analytics: { languages, anonymous } }: { analytics: Analytics }) {
  const t = useTranslations('overview.next');
  const name = languageNames(useLocale());
  const coverage = useCoverage().data;
  const isMissing = useIsMissing();
  const inbox = useInboxTop().data;
  if (!coverage || !inbox || coverage.published === 0) return null;
  const missing = languages.filter(({ locale }) => isMissing(locale));
  const stale = coverage.locales.reduce((sum, row) => sum + row.stale, 0);
  const steps = [
    inbox.counts.open > 0 && (
      <PageLink key="inbox" to="/inbox">
        {t('questions', { count: inbox.counts.open })}
      </PageLink>
    ),
    ...missing.slice(0, LANGUAGES_MAX).map(({ locale, turns }) => (
      <PageLink key={locale} to="/articles" search={{ task: `missing:${locale}` }}>
        {t('language', { count: turns, language: name(locale) })}
      </PageLink>
    )),
    stale > 0 && (
      <PageLink key="stale" to="/articles" search={{ task: 'stale' }}>
        {t('stale', { count: stale })}
      </PageLink>
    ),
    anonymous.unanswered > 0 && (
      <PageLink key="anonymous" to="/inbox">
        {t('anonymous', { count: anonymous.unanswered })}
      </PageLink>
    ),
  ].filter((step) => step !== false);
  if (steps.length === 0) return null;
  return (
    <Card isRegion title={t('title')} wide>
      <List spacing="xs">
        {steps.map((step) => (
          <List.Item key={step.key}>{step}</List.Item>
        ))}
      </List>
    </Card>
  );
}
