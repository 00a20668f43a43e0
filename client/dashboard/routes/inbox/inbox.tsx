import { Button, Group, List, SegmentedControl, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import type { InboxCounts } from '../../../../generated/types.ts';
import type { InboxChange, InboxGroup, InboxKind, InboxFilters as QueryFilters } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { CsvButton } from '../../components/download.tsx';
import { FilterBar, type Filters, useFilters } from '../../components/filters.tsx';
import { ArticleTextLink, PageLink, useOpenPage } from '../../components/links.tsx';
import { ListDetail } from '../../components/list-detail.tsx';
import { Loaded } from '../../components/loading.tsx';
import { Card, EmptyState, Muted, Page } from '../../components/page.tsx';
import { LoadMore, useCursorList } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { useRecentAnalytics, useTenantQuery, useWorkspace } from '../../session.ts';
import { AnonymousQuestions } from './anonymous-questions.tsx';
import { useInboxGroup } from './group-questions.tsx';
import { InboxDetail, InboxItem, useInboxActions } from './inbox-card.tsx';

const STATES = ['open', 'resolved', 'dismissed'] as const;
const KINDS = ['unanswered', 'rated_down', 'low_confidence'] as const satisfies readonly InboxKind[];
const ORDERS = ['asked', 'recent'] as const;
const COUNT_FIELDS = {
  unanswered: 'unanswered',
  rated_down: 'ratedDown',
  low_confidence: 'lowConfidence',
} as const;

export default function InboxPage() {
  const t = useTranslations('inbox');
  const { filters: search, clear } = useFilters();
  const choice = readChoice(search);
  const list = useInboxList(choice);
  const { state, kind, isMine } = choice;
  const isFiltered = kind !== undefined || isMine || state !== 'open';
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={list.rows.length > 0 && <InboxCsv groups={list.rows} />}
    >
      <InboxFilters choice={choice} counts={list.data?.pages[0]?.counts} />
      <Loaded query={list} shape="table">
        {() =>
          list.rows.length === 0 ? (
            <NothingOpen isFiltered={isFiltered} reset={() => clear('order')} />
          ) : (
            <InboxList list={list} />
          )
        }
      </Loaded>
      {!isFiltered && <AnonymousQuestions />}
      {!isFiltered && <StaleTranslations />}
    </Page>
  );
}

type Choice = ReturnType<typeof readChoice>;

/** Ignores invalid values in the URL. */
function readChoice(search: Filters) {
  return {
    state: STATES.find((each) => each === search.state) ?? STATES[0],
    kind: KINDS.find((each) => each === search.kind),
    order: ORDERS.find((each) => each === search.order) ?? ORDERS[0],
    isMine: search.for === 'me',
  };
}

function useInboxList({ state, kind, order, isMine }: Choice) {
  const filters: QueryFilters = {
    order,
    // Open groups, assigned or not, are the default.
    state: state === 'open' ? undefined : state,
    kind,
    for: isMine ? 'me' : undefined,
  };
  return useCursorList(['inbox', filters], (tenant) => tenant.inbox.list(filters));
}

type FiltersProps = {
  choice: Choice;
  /** Undefined while the counts load. */
  counts: InboxCounts | undefined;
};

function InboxFilters({ choice: { state }, counts }: FiltersProps) {
  const t = useTranslations('inbox');
  const { change } = useFilters();
  const withCount = (name: string, count: number | undefined) =>
    count === undefined ? name : t('count', { name, count });
  return (
    <FilterBar
      search={
        <SegmentedControl
          aria-label={t('state')}
          className="wrapping"
          value={state}
          onChange={(value) => change({ state: value === 'open' ? null : value })}
          data={STATES.map((value) => ({
            value,
            label: withCount(t(`states.${value}`), value === 'open' ? counts?.open : undefined),
          }))}
        />
      }
      filters={[
        {
          name: 'kind',
          label: t('kind'),
          placeholder: t('all'),
          data: KINDS.map((value) => ({
            value,
            label: withCount(t(`kinds.${value}`), counts?.[COUNT_FIELDS[value]]),
          })),
        },
        {
          name: 'for',
          label: t('whose'),
          placeholder: t('everyone'),
          data: [{ value: 'me', label: withCount(t('mine'), counts?.mine) }],
        },
        {
          name: 'order',
          label: t('order'),
          standard: ORDERS[0],
          data: ORDERS.map((value) => ({ value, label: t(`orders.${value}`) })),
        },
      ]}
    />
  );
}

function InboxCsv({ groups }: { groups: readonly InboxGroup[] }) {
  const t = useTranslations('inbox');
  return (
    <CsvButton
      title={t('title')}
      columns={[t('question'), t('times'), t('last'), t('state')]}
      rows={groups.map(({ questions, asked, lastAskedAt, state }) => [
        questions[0]?.question,
        asked,
        lastAskedAt,
        state,
      ])}
    />
  );
}

function NothingOpen({ isFiltered, reset }: { isFiltered: boolean; reset: () => void }) {
  const t = useTranslations('inbox');
  const hasAnonymous = (useRecentAnalytics().data?.anonymous.unanswered ?? 0) > 0;
  if (hasAnonymous && !isFiltered) return <Text role="status">{t('emptyAnonymous')}</Text>;
  return (
    <div role="status">
      <EmptyState title={t('empty')} lead={<Text span>{t(isFiltered ? 'emptyFiltered' : 'emptyOpen')}</Text>}>
        {isFiltered ? (
          <Button variant="default" onClick={reset}>
            {t('showAll')}
          </Button>
        ) : (
          <PageLink to="/preview">{t('tryGuide')}</PageLink>
        )}
      </EmptyState>
    </div>
  );
}

function InboxList({ list }: { list: ReturnType<typeof useInboxList> }) {
  const t = useTranslations('inbox');
  const { canEdit } = useWorkspace();
  const hash = useLocation({ select: (location) => location.hash });
  const isListed = hash === '' || list.rows.some(({ id }) => id === hash);
  const linked = useInboxGroup(isListed ? undefined : hash);
  const keys = useInboxKeys();
  return (
    <ListDetail
      label={t('list')}
      rows={list.rows}
      getKey={({ id }) => id}
      item={(group) => <InboxItem group={group} />}
      detail={(group) => <InboxDetail key={group.id} group={group} />}
      keys={canEdit ? keys : []}
      linked={linked.data}
    >
      <LoadMore list={list} />
    </ListDetail>
  );
}

/** The keys that act on the open group. */
function useInboxKeys() {
  const t = useTranslations('inbox');
  const open = useOpenPage();
  const { memberId } = useWorkspace();
  const { change, askAgain } = useInboxActions();
  const changeTo = (next: InboxChange) => (group: InboxGroup) => change.mutate({ group, change: next });
  return [
    { key: 'e', label: t('resolve'), run: changeTo({ state: 'resolved' }), leaves: true },
    {
      key: 'a',
      label: t('assignToMe'),
      run: (group: InboxGroup) =>
        changeTo({ assigneeId: group.assigneeId === memberId ? null : memberId })(group),
    },
    {
      key: 'n',
      label: t('write'),
      run: ({ id }: InboxGroup) => void open('/articles/new', { search: { inbox: id } }),
    },
    { key: 'r', label: t('askAgain'), run: (group: InboxGroup) => askAgain.mutate(group) },
    { key: 'd', label: t('dismiss'), run: changeTo({ state: 'dismissed' }), leaves: true },
  ];
}

/** Lists live translations whose article has changed since. Renders nothing if there are none. */
function StaleTranslations() {
  const t = useTranslations('inbox');
  const name = languageNames(useLocale());
  const { data } = useTenantQuery(['review-queue', 'stale'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'everybody', kind: 'stale' }).page(undefined, options),
  );
  if (!data || data.data.length === 0) return null;
  return (
    <Card title={t('count', { name: t('stale'), count: data.counts.stale })} lead={t('staleLead')} wide>
      <List listStyleType="none" spacing="xs">
        {data.data.map(({ translationId, articleId, articleTitle, locale, since }) => (
          <List.Item key={translationId}>
            <Group gap="xs">
              <ArticleTextLink articleId={articleId} translation={locale} className="wrap">
                {articleTitle}
              </ArticleTextLink>
              <Muted>
                {name(locale)}, <RelativeTime at={since} />
              </Muted>
            </Group>
          </List.Item>
        ))}
      </List>
    </Card>
  );
}
