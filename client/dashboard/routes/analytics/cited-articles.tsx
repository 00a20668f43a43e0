import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { Analytics, Article } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/download.tsx';
import { ArticleLink } from '../../components/links.tsx';
import { Card } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { queries, useWorkspace } from '../../session.ts';
import { Figure } from './breakdowns.tsx';

/** Each row fetches its article, so show only a few at once. */
const SHOWN_AT_ONCE = 10;

export function CitedArticles({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations();
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <Card title={t('analytics.cited')} aside={<CitedArticlesCsv articles={articles} />} wide>
      <CitedArticlesTable articles={articles.slice(0, shown)} />
      {articles.length > shown && (
        <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          {t('shell.more')}
        </Button>
      )}
    </Card>
  );
}

function CitedArticlesCsv({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations('analytics');
  const { tenantId } = useWorkspace();
  return (
    <CsvButton
      title={t('cited')}
      columns={['ID', t('article'), t('language'), t('citations')]}
      rows={articles.map(({ article, locale, citations }) => [
        article,
        queries.getQueryData<Article>(['tenant', tenantId, 'articles', article])?.title,
        locale,
        citations,
      ])}
    />
  );
}

function CitedArticlesTable({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations('analytics');
  const name = languageNames(useLocale());
  const max = Math.max(...articles.map(({ citations }) => citations));
  return (
    <DataTable
      caption={t('cited')}
      minWidth={420}
      rows={articles}
      getKey={({ article, locale }) => `${article}:${locale}`}
      columns={[
        { label: t('article'), cell: ({ article, locale }) => <ArticleLink id={article} locale={locale} /> },
        { label: t('language'), cell: ({ locale }) => name(locale) },
        {
          label: t('citations'),
          align: 'end',
          width: '40%',
          cell: ({ citations }) => <Figure value={citations} max={max} />,
        },
      ]}
    />
  );
}
