import { Stack } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { REQUEST_LIMITS } from '../../../../contract/limits/requests.ts';
import { listSources } from '../../../../generated/routes.ts';
import type { SourceRun } from '../../../../generated/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { Icon } from '../../components/icon.tsx';
import { ButtonLink, PageLink } from '../../components/links.tsx';
import { Loaded } from '../../components/loading.tsx';
import { EmptyState, Muted, Note, Page } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { getPollMillis, isSourcePaused } from './source-queries.ts';

export default function SourcesPage() {
  const t = useTranslations('sources');
  const { canEdit } = useWorkspace();
  return (
    <Page title={t('title')} lead={t('lead')} actions={canEdit && <NewSourceButtons />}>
      <SourceList />
    </Page>
  );
}

function NewSourceButtons() {
  const t = useTranslations('sources');
  return (
    <>
      <ButtonLink to="/sources/zendesk" variant="default">
        {t('types.zendesk')}
      </ButtonLink>
      <ButtonLink to="/sources/notion" variant="default">
        {t('types.notion')}
      </ButtonLink>
      <ButtonLink to="/sources/website" variant="default" leftSection={<Icon name="plus" size={18} />}>
        {t('new.website.title')}
      </ButtonLink>
      <ButtonLink to="/sources/import" leftSection={<Icon name="cloud-upload" size={18} />}>
        {t('importFiles')}
      </ButtonLink>
    </>
  );
}

export const useSources = () =>
  useTenantQuery(
    ['sources', 'list'],
    // All sources of a workspace fit on one page.
    (tenant, { signal }) =>
      tenant.call(listSources, { query: { limit: REQUEST_LIMITS.pageRowsMax }, signal }),
    { refetchInterval: ({ state }) => getPollMillis(state.data?.data ?? []) },
  );

function SourceList() {
  const t = useTranslations('sources');
  const format = useFormatter();
  return (
    <Loaded query={useSources()} shape="table">
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title={t('empty')} lead={t('emptyLead')} />
        ) : (
          <DataTable
            caption={t('title')}
            isRegion
            minWidth={640}
            rows={data}
            columns={[
              {
                label: t('name'),
                cell: ({ id, name, type }) => (
                  <Stack gap={2} align="flex-start">
                    <PageLink to={`/sources/${id}`} dir="auto" className="wrap">
                      {name}
                    </PageLink>
                    <Note>{t(`types.${type}`)}</Note>
                  </Stack>
                ),
              },
              {
                label: t('articles'),
                cell: ({ articles, conflicts: count }) => (
                  <Stack gap={4} align="flex-start">
                    {format.number(articles)}
                    {count > 0 && <StatusBadge color="orange">{t('conflictCount', { count })}</StatusBadge>}
                  </Stack>
                ),
              },
              {
                label: t('schedule'),
                cell: (source) => (
                  <>
                    {isSourcePaused(source) ? t('paused') : t(`schedules.${source.schedule}`)}
                    {source.nextRunAt && (
                      <Note>
                        {t('nextRun')} <RelativeTime at={source.nextRunAt} />
                      </Note>
                    )}
                  </>
                ),
              },
              {
                label: t('lastRun'),
                cell: ({ id, lastRun }) =>
                  lastRun ? <RunLink sourceId={id} run={lastRun} /> : <Muted>{t('neverRun')}</Muted>,
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}

const STATE_COLORS = {
  queued: 'gray',
  reading: 'blue',
  ready: 'orange',
  applying: 'blue',
  done: 'green',
  failed: 'orange',
  cancelled: 'gray',
} as const;

export function RunState({ state }: Pick<SourceRun, 'state'>) {
  const t = useTranslations('sources');
  return <StatusBadge color={STATE_COLORS[state]}>{t(`runStates.${state}`)}</StatusBadge>;
}

export function RunLink({ sourceId, run }: { sourceId: string; run: SourceRun }) {
  return (
    <Stack gap={4} align="flex-start">
      <RunState state={run.state} />
      <PageLink to={`/sources/${sourceId}/runs/${run.id}`} size="sm">
        <RelativeTime at={run.createdAt} />
      </PageLink>
    </Stack>
  );
}
