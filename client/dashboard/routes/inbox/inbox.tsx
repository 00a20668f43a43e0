import { Button, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { InboxFilters, InboxKind } from '../../../sdk/types.ts';
import { CsvButton } from '../../components/csv.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { TextLink } from '../../components/links.tsx';
import { LoadMore, useCursorList } from '../../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { type InboxSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';
import { InboxList } from './inbox-list.tsx';
import { StaleTranslations } from './stale-translations.tsx';

const STATES = ['open', 'resolved', 'dismissed'] as const;
const KINDS = ['unanswered', 'rated_down', 'low_confidence'] as const satisfies readonly InboxKind[];
const ORDERS = ['asked', 'recent'] as const;
const COUNTED = {
  unanswered: 'unanswered',
  rated_down: 'ratedDown',
  low_confidence: 'lowConfidence',
} as const;

export function InboxPage() {
  const t = useTranslations('inbox');
  const { tenant, tenantId } = useWorkspace();
  const { filters: search, change } = useFilters<InboxSearch>();
  const state = STATES.find((each) => each === search.state) ?? 'open';
  const kind = KINDS.find((each) => each === search.kind);
  const order = ORDERS.find((each) => each === search.order) ?? 'asked';
  const isMine = search.for === 'me';
  const filters: InboxFilters = {
    order,
    // Open groups, assigned or not, are the default.
    ...(state !== 'open' && { state }),
    ...(kind && { kind }),
    ...(isMine && { for: 'me' as const }),
  };
  const list = useCursorList(['tenant', tenantId, 'inbox', filters], tenant.inbox.list(filters));
  const counts = list.data?.pages[0]?.counts;
  const isFiltered = kind !== undefined || isMine || state !== 'open';
  const withCount = (name: string, count: number | undefined) =>
    count === undefined ? name : t('count', { name, count });
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        list.rows.length > 0 && (
          <CsvButton
            title={t('title')}
            columns={[t('question'), t('times'), t('last'), t('state')]}
            rows={list.rows.map(({ questions, asked, lastAskedAt, state: status }) => [
              questions[0]?.question,
              asked,
              lastAskedAt,
              status,
            ])}
          />
        )
      }
    >
      <FilterBar
        search={
          <SegmentedControl
            aria-label={t('state')}
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
        <SegmentedControl
          aria-label={t('kind')}
          className="wrapping"
          value={kind ?? 'all'}
          onChange={(value) => change({ kind: value === 'all' ? null : value })}
          data={[
            { value: 'all', label: t('all') },
            ...KINDS.map((value) => ({
              value,
              label: withCount(t(`kinds.${value}`), counts?.[COUNTED[value]]),
            })),
          ]}
        />
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
      {list.isPending ? (
        <Loading shape="table" />
      ) : list.isError ? (
        <ErrorMessage error={list.error} retry={list.refetch} />
      ) : list.rows.length === 0 ? (
        <NothingOpen isFiltered={isFiltered} reset={() => change({ state: null, kind: null, for: null })} />
      ) : (
        <Stack>
          <InboxList groups={list.rows} />
          <LoadMore list={list} />
        </Stack>
      )}
      {state === 'open' && kind === undefined && !isMine && <StaleTranslations />}
    </Page>
  );
}

function NothingOpen({ isFiltered, reset }: { readonly isFiltered: boolean; readonly reset: () => void }) {
  const t = useTranslations('inbox');
  const { tenantId } = useWorkspace();
  return (
    <div role="status">
      <EmptyState title={t('empty')} lead={<Text span>{t(isFiltered ? 'emptyFiltered' : 'emptyOpen')}</Text>}>
        {isFiltered ? (
          <Button variant="default" onClick={reset}>
            {t('showAll')}
          </Button>
        ) : (
          <TextLink to="/w/$tenantId/preview" params={{ tenantId }}>
            {t('tryGuide')}
          </TextLink>
        )}
      </EmptyState>
    </div>
  );
}
