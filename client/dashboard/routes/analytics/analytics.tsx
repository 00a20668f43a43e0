import { Alert, Box, Button, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Analytics } from '../../../sdk/types.ts';
import { ArticleLink, TextLink } from '../../components/links.tsx';
import { ColumnHeadings } from '../../components/list.tsx';
import { ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { UnansweredQuestions } from '../../components/unanswered-questions.tsx';
import { languageNames } from '../../languages.ts';
import { type AnalyticsSearch, useFilters } from '../../search-params.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { ActionBreakdown, ConsentBreakdown, FallbackBreakdown, RateLimitBreakdown } from './breakdowns.tsx';
import { Charts } from './charts.tsx';
import { parseRange, RangeControls, toAnalyticsOptions } from './range.tsx';
import { Totals } from './totals.tsx';

export function AnalyticsPage() {
  const t = useTranslations('analytics');
  const { filters } = useFilters<AnalyticsSearch>();
  const range = parseRange(filters);
  const analytics = useTenantQuery(
    ['analytics', range],
    (tenant, { signal }) => tenant.analytics({ ...toAnalyticsOptions(range), signal }),
    { placeholderData: keepPreviousData },
  );
  return (
    <Page title={t('title')} lead={t('lead')}>
      <RangeControls range={range} />
      {analytics.isPending ? (
        <Loading />
      ) : analytics.isError ? (
        <NoFigures error={analytics.error} retry={analytics.refetch} />
      ) : (
        <Box aria-busy={analytics.isFetching}>
          <Report analytics={analytics.data} />
        </Box>
      )}
    </Page>
  );
}

/** Explains a period that is too long for the grouping, since the reader can fix it. */
function NoFigures({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const t = useTranslations('analytics');
  const codes = isGuideError(error) ? (error.issues ?? []).map(({ code }) => code) : [];
  if (!codes.includes('range_too_long')) return <ErrorMessage error={error} retry={retry} />;
  return (
    <Alert color="orange" role="alert" title={t('tooLong')}>
      {t('tooLongLead')}
    </Alert>
  );
}

function Report({ analytics }: { readonly analytics: Analytics }) {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const { from, to, zone, totals, previous } = analytics;
  const day = (moment: Date) => format.dateTime(moment, { dateStyle: 'medium', timeZone: zone });
  const begin = Date.parse(from);
  const end = Date.parse(to);
  const isEmpty = totals.boots + totals.turns === 0;
  return (
    <Stack gap="xl">
      <Text size="sm" c="dimmed" role="status">
        {t('compared', {
          from: day(new Date(begin)),
          to: day(new Date(end - 1)),
          previousFrom: day(new Date(2 * begin - end)),
          previousTo: day(new Date(begin - 1)),
        })}
      </Text>
      {isEmpty && <EmptyState />}
      <Totals now={totals} before={previous} />
      <Charts analytics={analytics} />
      <UnansweredList analytics={analytics} />
      <CitedArticles articles={analytics.articles} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <FallbackBreakdown analytics={analytics} />
        <ActionBreakdown analytics={analytics} />
        <ConsentBreakdown analytics={analytics} />
        <RateLimitBreakdown analytics={analytics} />
      </SimpleGrid>
    </Stack>
  );
}

function EmptyState() {
  const t = useTranslations('analytics');
  const { tenantId } = useWorkspace();
  return (
    <Alert color="gray" title={t('empty')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('emptyLead')}</Text>
        <TextLink to="/w/$tenantId/installation" params={{ tenantId }}>
          {t('install')}
        </TextLink>
      </Stack>
    </Alert>
  );
}

function UnansweredList({ analytics }: { readonly analytics: Analytics }) {
  const t = useTranslations('shell');
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <UnansweredQuestions
      analytics={analytics}
      shown={shown}
      page="analytics"
      more={
        analytics.unanswered.length > shown && (
          <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {t('more')}
          </Button>
        )
      }
    />
  );
}

/** Each row fetches its article, so show only a few at once. */
const SHOWN_AT_ONCE = 10;

function CitedArticles({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations();
  const format = useFormatter();
  const name = languageNames(useLocale());
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('analytics.cited')}
        </Title>
        {articles.length === 0 ? (
          <Text>{t('analytics.nothingCited')}</Text>
        ) : (
          <Table.ScrollContainer minWidth={420}>
            <Table verticalSpacing="xs">
              <caption className="unseen">{t('analytics.cited')}</caption>
              <ColumnHeadings columns={[t('analytics.article'), t('analytics.language')]}>
                <Table.Th scope="col" ta="end">
                  {t('analytics.citations')}
                </Table.Th>
              </ColumnHeadings>
              <Table.Tbody>
                {articles.slice(0, shown).map(({ article, locale, citations }) => (
                  <Table.Tr key={`${article}:${locale}`}>
                    <Table.Th scope="row" fw={400}>
                      <ArticleLink id={article} locale={locale} />
                    </Table.Th>
                    <Table.Td>{name(locale)}</Table.Td>
                    <Table.Td ta="end">{format.number(citations)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        {articles.length > shown && (
          <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {t('shell.more')}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}
