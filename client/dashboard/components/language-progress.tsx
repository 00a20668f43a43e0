import { Progress } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import { languageNames } from '../languages.ts';
import { PERCENT_OF_MIN } from '../routes/analytics/metrics.ts';
import { useCoverage } from '../session.ts';
import { Card } from './page.tsx';
import { DataTable } from './table.tsx';
import { Muted } from './text.ts';

/** Translation progress for each language. */
export function LanguageProgress() {
  const t = useTranslations('reviewQueue.progress');
  const name = languageNames(useLocale());
  const { data } = useCoverage();
  if (!data || data.locales.length < 2) return null;
  const toShare = (live: number) => live / Math.max(1, data.published);
  return (
    <Card title={t('title')} isRegion wide>
      <DataTable
        caption={t('title')}
        minWidth={560}
        verticalSpacing={undefined}
        rows={data.locales}
        getKey={({ locale }) => locale}
        columns={[
          {
            label: t('language'),
            cell: ({ locale, live }) => (
              <>
                {name(locale)}
                <Progress value={toShare(live) * 100} size="sm" mt={4} aria-hidden />
              </>
            ),
          },
          {
            label: t('live'),
            cell: ({ live }) => (
              <>
                {live}{' '}
                {data.published >= PERCENT_OF_MIN && (
                  <Muted component="span">{t('share', { share: toShare(live) })}</Muted>
                )}
              </>
            ),
          },
          { label: t('stale'), cell: ({ stale }) => stale },
          { label: t('inReview'), cell: ({ inReview, approved }) => inReview + approved },
          { label: t('draft'), cell: ({ draft, changesRequested }) => draft + changesRequested },
          { label: t('missing'), cell: ({ missing }) => missing },
        ]}
      />
    </Card>
  );
}
