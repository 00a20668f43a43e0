import { Button, Group, List, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { InboxCounts } from '../../../../generated/types.ts';
import type { InboxGroup, InboxKind, InboxFilters as QueryFilters } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { CsvButton } from '../../components/download.tsx';
import { FilterBar, type Filters, useFilters } from '../../components/filters.tsx';
import { ArticleTextLink, PageLink, useOpenPage } from '../../components/links.tsx';
import { Card, EmptyState, Muted, Page } from '../../components/page.tsx';
import { List as RowList, useCursorList } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { ignoresSingleKeys, useSingleKeys } from '../../navigation/commands.tsx';
import { useRecentAnalytics, useTenantQuery, useWorkspace } from '../../session.ts';
import { AnonymousQuestions } from './anonymous-questions.tsx';
import { InboxCard, useInboxActions } from './inbox-card.tsx';

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
      <RowList list={list} empty={<NothingOpen isFiltered={isFiltered} reset={() => clear('order')} />}>
        {(groups) => <InboxList groups={groups} />}
      </RowList>
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

function InboxFilters({ choice: { state, kind, order, isMine }, counts }: FiltersProps) {
  const t = useTranslations('inbox');
  const { change } = useFilters();
  const withCount = useCountedLabel();
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
      count={[kind !== undefined, isMine].filter(Boolean).length}
    >
      <KindControl kind={kind} counts={counts} />
      <SegmentedControl
        aria-label={t('whose')}
        value={isMine ? 'me' : 'everybody'}
        onChange={(value) => change({ for: value === 'me' ? 'me' : null })}
        data={[
          { value: 'everybody', label: t('everyone') },
          { value: 'me', label: withCount(t('mine'), counts?.mine) },
        ]}
      />
      <Select
        aria-label={t('order')}
        allowDeselect={false}
        value={order}
        onChange={(value) => change({ order: value === 'asked' ? null : value })}
        data={ORDERS.map((value) => ({ value, label: t(`orders.${value}`) }))}
        w={160}
      />
    </FilterBar>
  );
}

function KindControl({ kind, counts }: Pick<Choice, 'kind'> & Pick<FiltersProps, 'counts'>) {
  const t = useTranslations('inbox');
  const { change } = useFilters();
  const withCount = useCountedLabel();
  return (
    <SegmentedControl
      aria-label={t('kind')}
      className="wrapping"
      value={kind ?? 'all'}
      onChange={(value) => change({ kind: value === 'all' ? null : value })}
      data={[
        { value: 'all', label: t('all') },
        ...KINDS.map((value) => ({
          value,
          label: withCount(t(`kinds.${value}`), counts?.[COUNT_FIELDS[value]]),
        })),
      ]}
    />
  );
}

function useCountedLabel() {
  const t = useTranslations('inbox');
  return (name: string, count: number | undefined) =>
    count === undefined ? name : t('count', { name, count });
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

/** One group is current: `j` and `k` move to the next and previous one, other keys act on it. */
function InboxList({ groups }: { groups: readonly InboxGroup[] }) {
  const t = useTranslations('inbox');
  const [currentId, setCurrentId] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const focusGroup = (id: string) =>
    list.current?.querySelector<HTMLElement>(`[data-group="${CSS.escape(id)}"]`)?.focus();
  useInboxKeys(groups, currentId, (id) => {
    setCurrentId(id);
    focusGroup(id);
  });
  const linkedId = useLocation({ select: ({ hash }) => hash });
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus the linked group once, after loading
  useEffect(() => {
    if (linkedId) focusGroup(linkedId);
  }, [linkedId]);
  return (
    <Stack ref={list} role="list" aria-label={t('list')}>
      {groups.map((group) => (
        <InboxCard key={group.id} group={group} onFocus={() => setCurrentId(group.id)} />
      ))}
    </Stack>
  );
}

function useInboxKeys(
  groups: readonly InboxGroup[],
  currentId: string | undefined,
  moveTo: (id: string) => void,
): void {
  const [enabled] = useSingleKeys();
  const open = useOpenPage();
  const { memberId, canEdit } = useWorkspace();
  const actions = useInboxActions();
  useEffect(() => {
    if (!enabled) return;
    const currentIndex = groups.findIndex(({ id }) => id === currentId);
    const step = (by: 1 | -1) => {
      const next = groups[Math.min(groups.length - 1, Math.max(0, currentIndex + by))];
      if (next) moveTo(next.id);
    };
    function act(key: string, group: InboxGroup): boolean {
      if (key === 'e') actions.change.mutate({ group, change: { state: 'resolved' } });
      else if (key === 'd') actions.change.mutate({ group, change: { state: 'dismissed' } });
      else if (key === 'a') {
        const assigneeId = group.assigneeId === memberId ? null : memberId;
        actions.change.mutate({ group, change: { assigneeId } });
      } else if (key === 'r') actions.askAgain.mutate(group);
      else if (key === 'n') void open('/articles/new', { search: { inbox: group.id } });
      else return false;
      return true;
    }
    function press(event: KeyboardEvent): void {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        ignoresSingleKeys(event.target)
      )
        return;
      const current = groups[currentIndex];
      if (event.key === 'j') step(1);
      else if (event.key === 'k') step(-1);
      else if (!canEdit || !current || !act(event.key, current)) return;
      event.preventDefault();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
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
