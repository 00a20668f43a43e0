import { Alert, Button, Group, Progress, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { applySourceRun, listSourceRunItems } from '../../../../generated/routes.ts';
import type {
  Source,
  SourceItemOutcome,
  SourceRefusalReason,
  SourceRun,
  SourceRunItem,
} from '../../../../generated/types.ts';
import { MemberName, RelativeTime } from '../../components/attribution.tsx';
import { PageLink } from '../../components/links.tsx';
import { Loaded, Loading } from '../../components/loading.tsx';
import { Card, ErrorPage, Note, Page } from '../../components/page.tsx';
import { type Column, ListTable, useCursorList } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { BulkBar, useSelection } from '../articles/bulk-bar.tsx';
import {
  isUnderWay,
  useCancelRun,
  useRun,
  useRunArticles,
  useRunReasons,
  useSource,
  useSourceError,
} from './source-queries.ts';
import { RunState } from './sources.tsx';

export default function RunPage() {
  const t = useTranslations('sources');
  const { sourceId = '', runId = '' } = useParams({ strict: false });
  const source = useSource(sourceId);
  const run = useRun(sourceId, runId);
  const error = source.error ?? run.error;
  if (error) return <ErrorPage title={t('run')} error={error} retry={() => void run.refetch()} />;
  if (!source.data || !run.data) return <Loading shape="page" />;
  const { id, name } = source.data;
  return (
    <Page
      title={t('runOf', { name })}
      crumbs={[
        { label: t('title'), to: '/sources' },
        { label: name, to: `/sources/${id}` },
      ]}
      lead={
        <Group gap="sm">
          <RunState state={run.data.state} />
          <Text size="sm" component="div">
            <RelativeTime at={run.data.createdAt} /> ·{' '}
            {run.data.scheduled ? t('bySchedule') : <MemberName id={run.data.createdBy} />}
          </Text>
        </Group>
      }
      actions={<RunActions source={source.data} run={run.data} />}
    >
      <Stack>
        <RunProgress run={run.data} />
        {run.data.state === 'ready' && <Alert color="blue">{t('readyLead')}</Alert>}
        {run.data.failure && <Failure failure={run.data.failure} source={source.data} />}
        <FinishedArticles sourceId={id} run={run.data} />
        {hasCounts(run.data) && <RunLog key={run.data.state} sourceId={id} run={run.data} />}
      </Stack>
    </Page>
  );
}

/** True when there are findings to show, which may be incomplete while the source is being read. */
const hasCounts = ({ state, counts }: SourceRun) =>
  !['queued', 'reading'].includes(state) || Object.values(counts).some((count) => count > 0);

type RunActionsProps = { source: Source; run: SourceRun };

function RunActions({ source, run }: RunActionsProps) {
  const t = useTranslations('sources');
  const { tenant, canEdit } = useWorkspace();
  const onError = useSourceError();
  const cancel = useCancelRun(source.id);
  const params = { sourceId: source.id, runId: run.id };
  const apply = useAction(() => tenant.call(applySourceRun, { params }), {
    changes: ['sources'],
    onError,
  });
  if (!canEdit || !(isUnderWay(run) || run.state === 'ready')) return null;
  return (
    <>
      <Button variant="default" onClick={() => cancel.mutate(run.id)} loading={cancel.isPending}>
        {t(run.state === 'ready' ? 'discard' : 'cancelRun')}
      </Button>
      {run.state === 'ready' && (
        <Button onClick={() => apply.mutate()} loading={apply.isPending}>
          {t('apply')}
        </Button>
      )}
    </>
  );
}

export function RunProgress({ run }: { run: SourceRun }) {
  const t = useTranslations('sources');
  const { done, total } = run.progress;
  const isRunning = isUnderWay(run);
  return (
    <div role="status">
      {isRunning && (
        <Stack gap={4}>
          <Text size="sm">{t(`progress.${run.state as 'reading'}`, { done, total })}</Text>
          <Progress
            value={total === 0 ? 0 : (done / total) * 100}
            animated
            aria-label={t(`runStates.${run.state}`)}
          />
        </Stack>
      )}
    </div>
  );
}

type FailureProps = { failure: NonNullable<SourceRun['failure']>; source: Source };

export function Failure({ failure: { reason, detail = '' }, source: { proof } }: FailureProps) {
  const t = useTranslations('sources');
  const [address = '', ...setting] = detail.split(' ');
  return (
    <Alert color="orange" title={t('failed')}>
      <Stack gap={4}>
        <Text className="wrap">
          {reason === 'private_address'
            ? t('privateAddress', { address, setting: setting.join(' ') })
            : t(`failures.${reason}`, { detail })}
        </Text>
        {reason === 'origin_not_proved' && proof && (
          <Text className="wrap">{t('proofFile', { path: proof.path, token: proof.token })}</Text>
        )}
      </Stack>
    </Alert>
  );
}

/** The articles of a finished run, selected, to publish, tag or file them at once. */
function FinishedArticles({ sourceId, run }: { sourceId: string; run: SourceRun }) {
  const t = useTranslations('sources');
  const { canEdit } = useWorkspace();
  const articles = useRunArticles(sourceId, run);
  if (run.state !== 'done') return null;
  const { added, changed } = run.counts;
  // Reserves the height of its replacement, so that the log below does not move.
  if (articles.isPending && canEdit && added + changed > 0) return <Skeleton height={93} />;
  if (!articles.data || articles.data.length === 0) return null;
  return (
    <Stack gap="xs">
      <Text>
        {t('doneLead', { count: articles.data.length })}{' '}
        <PageLink to="/articles" search={{ source: sourceId }}>
          {t('showArticles')}
        </PageLink>
      </Text>
      {canEdit && <SelectedArticles ids={articles.data} sourceId={sourceId} />}
    </Stack>
  );
}

function SelectedArticles({ ids, sourceId }: { ids: readonly string[]; sourceId: string }) {
  const t = useTranslations('sources');
  const selection = useSelection([], sourceId, ids);
  return (
    <>
      <BulkBar selection={selection} total={selection.ids.size} conditions={{ source: sourceId }} />
      {selection.ids.size === 0 && (
        <Button variant="default" className="self-start" onClick={() => selection.set(ids)}>
          {t('selectThem', { count: ids.length })}
        </Button>
      )}
    </>
  );
}

const OUTCOMES = [
  'added',
  'changed',
  'removed',
  'conflict',
  'refused',
] as const satisfies readonly SourceItemOutcome[];
const ROWS_PER_PAGE = 50;

const getCount = ({ counts }: SourceRun, outcome: SourceItemOutcome) =>
  counts[outcome === 'conflict' ? 'conflicts' : outcome];

/** The outcomes of a run, by place. */
function RunLog({ sourceId, run }: { sourceId: string; run: SourceRun }) {
  const t = useTranslations('sources');
  const format = useFormatter();
  const [chosen, setChosen] = useState<SourceItemOutcome>();
  const [reason, setReason] = useState<SourceRefusalReason>();
  const outcome = chosen ?? OUTCOMES.find((each) => getCount(run, each) > 0) ?? 'added';
  const isPlan = run.state === 'ready' || run.state === 'cancelled' || run.state === 'failed';
  return (
    <Card title={t(isPlan ? 'planned' : 'log')} wide>
      {run.counts.unchanged > 0 && (
        <Text size="sm" role="status">
          {t('unchanged', { count: run.counts.unchanged })}
        </Text>
      )}
      <SegmentedControl
        aria-label={t('outcome')}
        className="wrapping self-start"
        value={outcome}
        onChange={(value) => setChosen(value as SourceItemOutcome)}
        data={OUTCOMES.map((value) => ({
          value,
          label: t('outcomeCount', {
            name: t(`outcomes.${value}`),
            count: format.number(getCount(run, value)),
          }),
        }))}
      />
      {outcome === 'conflict' && run.counts.conflicts > 0 && (
        <Text size="sm">
          {t('conflictsLead')}{' '}
          <PageLink to={`/sources/${sourceId}/conflicts`}>{t('resolveConflicts')}</PageLink>
        </Text>
      )}
      {outcome === 'refused' && <Reasons sourceId={sourceId} run={run} reason={reason} choose={setReason} />}
      <Items
        sourceId={sourceId}
        run={run}
        outcome={outcome}
        reason={outcome === 'refused' ? reason : undefined}
      />
    </Card>
  );
}

type ReasonsProps = {
  sourceId: string;
  run: SourceRun;
  /** The reason of the listed places; all by default. */
  reason: SourceRefusalReason | undefined;
  choose: (reason: SourceRefusalReason | undefined) => void;
};

/** Why places were left out, and how many; each lists its places. */
function Reasons({ sourceId, run, reason, choose }: ReasonsProps) {
  const t = useTranslations('sources');
  const format = useFormatter();
  const counted = useRunReasons({ sourceId, runId: run.id }, run.state);
  if (!counted.data || counted.data.data.length < 2) return null;
  return (
    <Group gap="xs" role="group" aria-label={t('reason')}>
      {counted.data.data.map((each) => (
        <Button
          key={each.reason}
          size="compact-sm"
          variant={each.reason === reason ? 'filled' : 'default'}
          aria-pressed={each.reason === reason}
          onClick={() => choose(each.reason === reason ? undefined : each.reason)}
        >
          {t('outcomeCount', {
            name: t(`reasons.${each.reason}`).replace(/[.。]$/, ''),
            count: format.number(each.count),
          })}
        </Button>
      ))}
    </Group>
  );
}

type ItemsProps = {
  sourceId: string;
  run: SourceRun;
  outcome: SourceItemOutcome;
  reason: SourceRefusalReason | undefined;
};

function Items({ sourceId, run, outcome, reason }: ItemsProps) {
  const t = useTranslations('sources');
  const params = { sourceId, runId: run.id };
  const columns = useItemColumns(outcome, `/sources/${sourceId}/runs/${run.id}/text`);
  const list = useCursorList(['sources', sourceId, 'runs', run.id, 'items', outcome, reason], (tenant) => ({
    page: (cursor, { signal }) =>
      tenant.call(listSourceRunItems, {
        params,
        query: { outcome, reason, limit: ROWS_PER_PAGE, cursor },
        signal,
      }),
  }));
  return (
    <Loaded query={list} shape="table">
      {() =>
        list.rows.length === 0 ? (
          <Text c="dimmed">{t('none')}</Text>
        ) : (
          <ListTable
            caption={t(`outcomes.${outcome}`)}
            isRegion
            minWidth={480}
            list={list}
            getKey={getItemKey}
            columns={columns}
          />
        )
      }
    </Loaded>
  );
}

const getItemKey = ({ place, locale }: SourceRunItem) => `${place} ${locale}`;

function useItemColumns(outcome: SourceItemOutcome, textPage: string): readonly Column<SourceRunItem>[] {
  const t = useTranslations('sources');
  return useMemo(() => {
    const place: Column<SourceRunItem> = {
      label: t('place'),
      cell: (item) => (
        <Text size="sm" className="wrap" dir="ltr" translate="no">
          {item.place}
        </Text>
      ),
    };
    const text: Column<SourceRunItem> = {
      label: t('text'),
      cell: (item) => <ItemText item={item} textPage={textPage} />,
    };
    const reason: Column<SourceRunItem> = {
      label: t('reason'),
      className: 'whole',
      cell: (item) => (
        <>
          {item.reason && t(`reasons.${item.reason}`)}
          {item.detail && <Note className="wrap">{item.detail}</Note>}
        </>
      ),
    };
    return outcome === 'refused' ? [place, reason] : [text, place];
  }, [t, outcome, textPage]);
}

/** Opens the text as visitors will see it. */
function ItemText({ item, textPage }: { item: SourceRunItem; textPage: string }) {
  const name = languageNames(useLocale());
  const { place, title = place, locale } = item;
  return (
    <>
      <PageLink to={textPage} search={{ place }} dir="auto" lang={locale} className="wrap">
        {title}
      </PageLink>
      {locale && <Note>{name(locale)}</Note>}
    </>
  );
}
