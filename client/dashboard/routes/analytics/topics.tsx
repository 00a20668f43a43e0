import { keepPreviousData } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'use-intl';
import { readTopics } from '../../../../generated/routes.ts';
import type { QuestionTopics } from '../../../../generated/types.ts';
import type { AnalyticsOptions } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/download.tsx';
import { PageLink } from '../../components/links.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Card, Note } from '../../components/page.tsx';
import { DataTable } from '../../components/table.tsx';
import { LISTED } from '../../languages.ts';
import { useTenantQuery } from '../../session.ts';
import { Figure } from './breakdowns.tsx';
import { useMetricFormat } from './metrics.ts';
import { Sparkline } from './sparkline.tsx';

/** What visitors asked about, over time. Reading it takes longer than the figures do. */
export function TopicsCard({ options }: { options: AnalyticsOptions }) {
  const t = useTranslations('analytics');
  const topics = useTenantQuery(
    ['analytics', 'topics', options],
    (tenant, { signal }) => tenant.call(readTopics, { query: options, signal }),
    { placeholderData: keepPreviousData },
  );
  const csv = topics.data && topics.data.topics.length > 0 && <TopicsCsv {...topics.data} />;
  return (
    <Card title={t('topics')} lead={t('topicsLead')} aside={csv} wide>
      <Loaded query={topics} shape="table">
        {(data) => (data.topics.length === 0 ? t('topicsUnstored') : <TopicsTable {...data} />)}
      </Loaded>
    </Card>
  );
}

type Topic = QuestionTopics['topics'][number];

function TopicsTable({ topics }: QuestionTopics) {
  const t = useTranslations('analytics');
  const { share, count } = useMetricFormat();
  const max = Math.max(...topics.map(({ turns }) => turns));
  return (
    <DataTable<Topic>
      caption={t('topics')}
      minWidth={640}
      rows={topics}
      getKey={({ locale, question }) => `${locale} ${question}`}
      columns={[
        { label: t('topic'), cell: (topic) => <TopicName {...topic} /> },
        { label: t('trend'), width: 120, cell: ({ periods }) => <Sparkline values={periods} /> },
        { label: t('previousPeriod'), align: 'end', width: 160, cell: ({ before }) => count(before) },
        {
          label: t('answered'),
          align: 'end',
          width: 110,
          cell: ({ answered, turns }) => share({ part: answered, whole: turns }),
        },
        {
          label: t('questions'),
          align: 'end',
          width: '22%',
          cell: ({ turns }) => <Figure value={turns} max={max} />,
        },
      ]}
    />
  );
}

function TopicName({ question, locale, examples }: Topic) {
  const uiLocale = useLocale();
  return (
    <>
      <PageLink to="/conversations" search={{ question }} dir="auto" lang={locale} className="wrap">
        {question}
      </PageLink>
      {examples.length > 0 && (
        <Note dir="auto" className="wrap" lineClamp={2}>
          {new Intl.ListFormat(uiLocale, LISTED).format(examples)}
        </Note>
      )}
    </>
  );
}

function TopicsCsv({ topics, starts }: QuestionTopics) {
  const t = useTranslations('analytics');
  return (
    <CsvButton
      title={t('topics')}
      columns={[t('topic'), t('language'), t('questions'), t('answered'), t('previousPeriod'), ...starts]}
      rows={topics.map(({ question, locale, turns, answered, before, periods }) => [
        ...[question, locale, turns, answered, before],
        ...periods,
      ])}
    />
  );
}
