import { Badge, Button, Group, Progress, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ReviewQueueFilters, ReviewTask } from '../../sdk/types.ts';
import { MemberName, RelativeTime } from '../components/attribution.tsx';
import { PageLink } from '../components/links.tsx';
import { Card, EmptyState, Muted, Page } from '../components/page.tsx';
import { DataTable, List, useCursorList } from '../components/table.tsx';
import { languageNames } from '../languages.ts';
import { useCoverage } from '../session.ts';
import { PERCENT_OF_MIN } from './analytics/metrics.ts';

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;
type Kind = (typeof KINDS)[number];

type Whose = 'me' | 'everybody';

export default function ReviewQueuePage() {
  const t = useTranslations('reviewQueue');
  const [whose, setWhose] = useState<Whose>('me');
  const [kind, setKind] = useState<Kind | 'all'>('all');
  const filters: ReviewQueueFilters = { for: whose, kind: kind === 'all' ? undefined : kind };
  const list = useCursorList(['review-queue', filters], (tenant) => tenant.translations.reviewQueue(filters));
  const counts = list.data?.pages[0]?.counts;
  const kindLabel = (value: Kind) => {
    const name = t(`kinds.${value}`);
    return counts ? t('count', { name, count: counts[value] }) : name;
  };
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Group>
        <SegmentedControl
          aria-label={t('whose')}
          value={whose}
          onChange={(value) => setWhose(value as Whose)}
          data={[
            { value: 'me', label: t('mine') },
            { value: 'everybody', label: t('everyone') },
          ]}
        />
        <SegmentedControl
          aria-label={t('kind')}
          className="wrapping"
          value={kind}
          onChange={(value) => setKind(value as typeof kind)}
          data={[
            { value: 'all', label: t('all') },
            ...KINDS.map((value) => ({ value, label: kindLabel(value) })),
          ]}
        />
      </Group>
      <List list={list} empty={<NoTasks whose={whose} showEveryone={() => setWhose('everybody')} />}>
        {(rows) => <Queue rows={rows} />}
      </List>
      <LanguageProgress />
    </Page>
  );
}

type NoTasksProps = { whose: Whose; showEveryone: () => void };

function NoTasks({ whose, showEveryone }: NoTasksProps) {
  const t = useTranslations('reviewQueue');
  return (
    <div role="status">
      <EmptyState title={t('empty')} lead={t(whose === 'me' ? 'emptyMine' : 'emptyAll')}>
        {whose === 'me' ? (
          <Button variant="default" onClick={showEveryone}>
            {t('showEveryone')}
          </Button>
        ) : (
          <PageLink to="/articles">{t('toArticles')}</PageLink>
        )}
      </EmptyState>
    </div>
  );
}

function Queue({ rows }: { rows: readonly ReviewTask[] }) {
  const t = useTranslations('reviewQueue');
  const name = languageNames(useLocale());
  return (
    <DataTable
      caption={t('caption')}
      minWidth={640}
      highlightOnHover
      rows={rows}
      getKey={({ kind, translationId }) => `${kind}:${translationId}`}
      columns={[
        {
          label: t('kind'),
          cell: ({ kind }) => (
            <Badge variant="outline" color="gray" className="status-gray" tt="none">
              {t(`kinds.${kind}`)}
            </Badge>
          ),
        },
        {
          label: t('article'),
          isTitle: true,
          cell: ({ articleId, articleTitle, locale, reviewNote }) => (
            <>
              <PageLink to={`/articles/${articleId}/translations/${locale}`} dir="auto" fw={600}>
                {articleTitle}
              </PageLink>
              {reviewNote && (
                <Text size="sm" dir="auto" className="wrap">
                  {reviewNote}
                </Text>
              )}
            </>
          ),
        },
        { label: t('language'), cell: ({ locale }) => name(locale) },
        { label: t('since'), className: 'nowrap', cell: ({ since }) => <RelativeTime at={since} /> },
        { label: t('by'), cell: ({ by }) => <MemberName id={by} /> },
      ]}
    />
  );
}

/** Translation progress for each language. */
function LanguageProgress() {
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
