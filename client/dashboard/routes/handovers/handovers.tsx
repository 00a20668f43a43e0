import { SegmentedControl, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { HandoverState, HandoverSummary } from '../../../../generated/types.ts';
import type { HandoverFilters } from '../../../sdk/types.ts';
import { MemberName, RelativeTime } from '../../components/attribution.tsx';
import { FilterBar, useFilters } from '../../components/filters.tsx';
import { PageLink } from '../../components/links.tsx';
import { ListDetail } from '../../components/list-detail.tsx';
import { Loaded } from '../../components/loading.tsx';
import { EmptyState, Muted, Page } from '../../components/page.tsx';
import { LoadMore, useCursorList } from '../../components/table.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { HandoverDetail, useHandover, useHandoverChange } from './handover-detail.tsx';

const STATES = ['open', 'answered', 'closed'] as const satisfies readonly HandoverState[];

export default function HandoversPage() {
  const t = useTranslations('handovers');
  const { filters: search } = useFilters();
  // Ignores invalid values in the URL.
  const state = STATES.find((each) => each === search.state) ?? STATES[0];
  const filters: HandoverFilters = { state, for: search.for === 'me' ? 'me' : undefined };
  const list = useHandoverList(filters);
  return (
    <Page title={t('title')} lead={t('lead')}>
      <HandoverFilterBar state={state} counts={list.data?.pages[0]?.counts} />
      <Loaded query={list} shape="table">
        {() => (list.rows.length === 0 ? <Nothing state={state} /> : <HandoverList list={list} />)}
      </Loaded>
    </Page>
  );
}

const useHandoverList = (filters: HandoverFilters) =>
  useCursorList(['handovers', filters], (tenant) => tenant.handovers.list(filters));

type FilterProps = { state: HandoverState; counts: { open: number; mine: number } | undefined };

function HandoverFilterBar({ state, counts }: FilterProps) {
  const t = useTranslations();
  const { change } = useFilters();
  const withCount = (name: string, count: number | undefined) =>
    count === undefined ? name : t('inbox.count', { name, count });
  return (
    <FilterBar
      search={
        <SegmentedControl
          aria-label={t('inbox.state')}
          className="wrapping"
          value={state}
          onChange={(value) => change({ state: value === 'open' ? null : value })}
          data={STATES.map((value) => ({
            value,
            label: withCount(t(`handovers.states.${value}`), value === 'open' ? counts?.open : undefined),
          }))}
        />
      }
      filters={[
        {
          name: 'for',
          label: t('inbox.whose'),
          placeholder: t('inbox.everyone'),
          data: [{ value: 'me', label: withCount(t('inbox.mine'), counts?.mine) }],
        },
      ]}
    />
  );
}

function Nothing({ state }: { state: HandoverState }) {
  const t = useTranslations('handovers');
  const { canEdit } = useWorkspace();
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  const isOff = settings.data?.handover.mode === 'off';
  const lead = isOff ? t('off') : t(state === 'open' ? 'emptyOpen' : 'emptyOther');
  return (
    <div role="status">
      <EmptyState title={t('empty')} lead={<Text span>{lead}</Text>}>
        {isOff && canEdit && <PageLink to="/settings">{t('turnOn')}</PageLink>}
      </EmptyState>
    </div>
  );
}

function HandoverList({ list }: { list: ReturnType<typeof useHandoverList> }) {
  const t = useTranslations();
  const { memberId } = useWorkspace();
  const change = useHandoverChange();
  const hash = useLocation({ select: (location) => location.hash });
  const isListed = hash === '' || list.rows.some(({ id }) => id === hash);
  const linked = useHandover(isListed ? undefined : hash);
  return (
    <ListDetail<HandoverSummary>
      label={t('handovers.title')}
      rows={list.rows}
      getKey={({ id }) => id}
      item={(handover) => <Item handover={handover} />}
      detail={(handover) => <HandoverDetail key={handover.id} id={handover.id} />}
      keys={[
        {
          key: 'e',
          label: t('handovers.markAnswered'),
          run: (handover) => change.mutate({ handover, change: { state: 'answered' } }),
          leaves: true,
        },
        {
          key: 'a',
          label: t('inbox.assignToMe'),
          run: (handover) => {
            const assigneeId = handover.assigneeId === memberId ? null : memberId;
            change.mutate({ handover, change: { assigneeId } });
          },
        },
      ]}
      linked={linked.data}
    >
      <LoadMore list={list} />
    </ListDetail>
  );
}

/** Shows one handover in the list: message, sender and time. */
function Item({
  handover: { message, locale, name, email, createdAt, assigneeId },
}: {
  handover: HandoverSummary;
}) {
  return (
    <>
      <Text span truncate fw={500} dir="auto" lang={locale} display="block">
        {message}
      </Text>
      <Muted span>
        <bdi>{name ?? email}</bdi> · <RelativeTime at={createdAt} />
        {assigneeId && (
          <>
            {' · '}
            <MemberName id={assigneeId} />
          </>
        )}
      </Muted>
    </>
  );
}
