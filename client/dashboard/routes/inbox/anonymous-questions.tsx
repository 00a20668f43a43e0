import { Group, List, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { AnonymousQuestion } from '../../../../generated/types.ts';
import type { Analytics } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { ArticleLink, PageLink } from '../../components/links.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { useRecentAnalytics, useTenantQuery, useWorkspace } from '../../session.ts';

/** Lists per column; analytics has more. */
const SHOWN = 5;

/** Shows the unanswered questions of undecided visitors, which are in no group. Renders nothing if there were none. */
export function AnonymousQuestions() {
  const t = useTranslations('inbox.anonymous');
  const { data: analytics } = useRecentAnalytics();
  const words = useTenantQuery(['inbox', 'anonymous'], (tenant, options) =>
    tenant.inbox.anonymousQuestions(options),
  );
  if (!analytics || !words.data || analytics.anonymous.unanswered === 0) return null;
  const { kept, data } = words.data;
  const { unanswered } = analytics.anonymous;
  return (
    <Card isRegion title={t('title', { count: unanswered })} lead={t(kept ? 'keptLead' : 'lead')} wide>
      <Counts {...analytics.anonymous} />
      {data.length > 0 && <Words questions={data} />}
      {!kept && <KeepWords />}
    </Card>
  );
}

function KeepWords() {
  const t = useTranslations('inbox.anonymous');
  const { canEdit } = useWorkspace();
  if (!canEdit) return null;
  return (
    <PageLink to="/settings/storage" className="self-start">
      {t('keep')}
    </PageLink>
  );
}

function Counts({ pages, languages, articles }: Analytics['anonymous']) {
  const t = useTranslations('inbox.anonymous');
  const name = languageNames(useLocale());
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
      <Column
        title={t('pages')}
        rows={pages.map(({ path, count }) => ({
          key: path,
          count,
          label: <bdi className="wrap">{path}</bdi>,
        }))}
      />
      <Column
        title={t('languages')}
        rows={languages.map(({ locale, count }) => ({ key: locale, count, label: name(locale) }))}
      />
      <Column
        title={t('articles')}
        rows={articles.map(({ article, count }) => ({
          key: article,
          count,
          label: <ArticleLink id={article} />,
        }))}
      />
    </SimpleGrid>
  );
}

type ColumnProps = { title: string; rows: readonly { key: string; count: number; label: ReactNode }[] };

function Column({ title, rows }: ColumnProps) {
  const t = useTranslations('inbox');
  if (rows.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <List listStyleType="none" spacing={4} size="sm" aria-label={title}>
        {rows.slice(0, SHOWN).map(({ key, count, label }) => (
          <List.Item key={key}>
            <Group gap="xs">
              {label}
              <Muted>{t('asked', { count })}</Muted>
            </Group>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}

function Words({ questions }: { questions: readonly AnonymousQuestion[] }) {
  const t = useTranslations('inbox.anonymous');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  return (
    <DataTable
      caption={t('words')}
      minWidth={640}
      rows={questions}
      getKey={({ question }) => question}
      columns={[
        {
          label: t('question'),
          className: 'whole',
          cell: ({ question, locale }) => (
            <Text size="sm" dir="auto" lang={locale} className="wrap">
              {question}
            </Text>
          ),
        },
        { label: t('times'), align: 'end', cell: ({ asked }) => asked },
        { label: t('language'), cell: ({ locale }) => name(locale) },
        { label: t('page'), cell: ({ path }) => <bdi className="wrap">{path}</bdi> },
        {
          label: t('nearest'),
          cell: ({ nearestArticleId: id }) => id !== undefined && <ArticleLink id={id} />,
        },
        { label: t('last'), cell: ({ lastAskedAt }) => <RelativeTime at={lastAskedAt} /> },
        ...(canEdit
          ? [
              {
                label: t('actions'),
                cell: ({ question }: AnonymousQuestion) => (
                  <PageLink to="/articles/new" search={{ title: question }}>
                    {t('write')}
                  </PageLink>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}
