import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { changeSource, deleteSource, listSourceRuns } from '../../../../generated/routes.ts';
import type { Source, SourceChange } from '../../../../generated/types.ts';
import type { SourceRun } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { CopyText, ReasonButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { ButtonLink, PageLink, useOpenPage } from '../../components/links.tsx';
import { Loaded, Loading } from '../../components/loading.tsx';
import { Card, ErrorPage, Page } from '../../components/page.tsx';
import { DataTable, LoadMore, useCursorList } from '../../components/table.tsx';
import { useAction, useConfirm } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { SourceForm } from './source-form.tsx';
import { isSourcePaused, isUnderWay, useSource, useSourceError, useStartRun } from './source-queries.ts';
import { RunLink } from './sources.tsx';

export default function SourcePage() {
  const t = useTranslations('sources');
  const { canEdit } = useWorkspace();
  const { sourceId = '' } = useParams({ strict: false });
  const source = useSource(sourceId);
  if (source.isPending) return <Loading shape="page" />;
  if (source.isError) return <ErrorPage title={t('title')} error={source.error} retry={source.refetch} />;
  const { name, type, proof, articles, conflicts } = source.data;
  return (
    <Page
      title={name}
      crumbs={[{ label: t('title'), to: '/sources' }]}
      lead={
        <PageLink to="/articles" search={{ source: sourceId }}>
          {t('articleCount', { count: articles })}
        </PageLink>
      }
      actions={canEdit && <SourceActions source={source.data} />}
    >
      <Stack>
        {conflicts > 0 && (
          <Alert color="orange" title={t('conflictCount', { count: conflicts })}>
            {t('conflictsLead')}{' '}
            <PageLink to={`/sources/${sourceId}/conflicts`} fz="inherit">
              {t('resolveConflicts')}
            </PageLink>
          </Alert>
        )}
        <Settings key={`${type} ${name}`} source={source.data} canEdit={canEdit} />
        {proof && <Proof proof={proof} />}
        {source.data.lastRun && <Runs source={source.data} />}
      </Stack>
    </Page>
  );
}

type SourceProps = { source: Source };

function SourceActions({ source }: SourceProps) {
  const t = useTranslations('sources');
  const open = useOpenPage();
  const { id: sourceId, type, lastRun } = source;
  const start = useStartRun({ sourceId, onDone: ({ id }) => open(`/sources/${sourceId}/runs/${id}`) });
  const isBusy = lastRun !== undefined && (isUnderWay(lastRun) || lastRun.state === 'ready');
  const reason = isBusy ? t('runOpen') : undefined;
  if (type === 'files') {
    return (
      <ButtonLink
        to="/sources/import"
        search={{ source: sourceId }}
        leftSection={<Icon name="cloud-upload" size={18} />}
      >
        {t('importFiles')}
      </ButtonLink>
    );
  }
  return (
    <>
      <ReasonButton
        variant="default"
        reason={reason}
        onClick={() => start.mutate(true)}
        loading={start.isPending}
      >
        {t('previewRun')}
      </ReasonButton>
      <ReasonButton reason={reason} onClick={() => start.mutate(false)} loading={start.isPending}>
        {t('runNow')}
      </ReasonButton>
    </>
  );
}

/** How the owner of a website proves it, unless all of its origins are allowed domains. */
function Proof({ proof: { token, path, origins } }: { proof: NonNullable<Source['proof']> }) {
  const t = useTranslations('sources');
  const unproved = origins.filter(({ allowedDomain }) => !allowedDomain);
  if (unproved.length === 0) return null;
  return (
    <Card title={t('proof')} lead={t('proofLead')}>
      {unproved.map(({ origin }) => (
        <Code key={origin} block dir="ltr" translate="no" className="wrapped">
          {`${origin}${path}`}
        </Code>
      ))}
      <Text size="sm">{t('proofContent')}</Text>
      <Code block dir="ltr" translate="no" className="wrapped">
        {token}
      </Code>
      <Group>
        <CopyText text={token} label={t('copyToken')} />
      </Group>
    </Card>
  );
}

function Runs({ source: { id: sourceId, lastRun } }: SourceProps) {
  const t = useTranslations('sources');
  const format = useFormatter();
  const list = useCursorList(
    ['sources', sourceId, 'runs', 'list', lastRun?.id, lastRun?.state],
    (tenant) => ({
      page: (cursor, { signal }) =>
        tenant.call(listSourceRuns, {
          params: { sourceId },
          query: { cursor },
          signal,
        }),
    }),
  );
  const counts = ['added', 'changed', 'removed', 'refused', 'conflicts'] as const;
  return (
    <Loaded query={list} shape="table">
      {() => (
        <Card title={t('runs')} wide>
          <DataTable
            caption={t('runs')}
            isRegion
            minWidth={560}
            rows={list.rows}
            columns={[
              { label: t('run'), cell: (run) => <RunLink sourceId={sourceId} run={run} /> },
              ...counts.map((name) => ({
                label: t(`outcomes.${name === 'conflicts' ? 'conflict' : name}`),
                cell: (run: SourceRun) => format.number(run.counts[name]),
              })),
            ]}
          />
          <LoadMore list={list} />
        </Card>
      )}
    </Loaded>
  );
}

/** What is read, how often, and what happens to changes. */
function Settings({ source, canEdit }: SourceProps & { canEdit: boolean }) {
  const t = useTranslations('sources');
  const [isOpen, setIsOpen] = useState(false);
  const save = useSave(source, () => setIsOpen(false));
  const isPaused = isSourcePaused(source);
  const { name, website, files, zendesk, mode, schedule } = source;
  const settings = { name, mode, schedule, website, files, zendesk };
  return (
    <Card title={t('settings')}>
      {!isOpen && <Summary source={source} />}
      {isOpen && (
        <SourceForm
          type={source.type}
          source={source}
          submitLabel={t('save')}
          submit={(changed) => save.mutateAsync({ ...changed, paused: isPaused })}
          isPending={save.isPending}
        />
      )}
      {canEdit && (
        <Group>
          {!isOpen && (
            <Button variant="default" leftSection={<Icon name="pencil" />} onClick={() => setIsOpen(true)}>
              {t('edit')}
            </Button>
          )}
          {schedule !== 'manual' && (
            <Button
              variant="default"
              loading={save.isPending}
              onClick={() => save.mutate({ ...settings, paused: !isPaused })}
            >
              {t(isPaused ? 'resume' : 'pause')}
            </Button>
          )}
          <DeleteButton sourceId={source.id} />
        </Group>
      )}
    </Card>
  );
}

/** One line: the address, what happens to changes, and when the next run starts. */
function Summary({ source }: SourceProps) {
  const t = useTranslations('sources');
  const { type, website, files, zendesk, mode, schedule, nextRunAt } = source;
  const [address = files?.baseUrl ?? zendesk?.address, ...others] = website?.startUrls ?? [];
  const isRead = type !== 'files';
  return (
    <Text component="div" className="wrap">
      {address === undefined ? (
        t(`types.${type}`)
      ) : (
        <span dir="ltr" translate="no">
          {address}
        </span>
      )}
      {others.length > 0 && ` ${t('andMore', { count: others.length })}`}
      {` · ${t(`modes.${mode}`)}`}
      {isRead && ` · ${isSourcePaused(source) ? t('paused') : t(`schedules.${schedule}`)}`}
      {nextRunAt && (
        <>
          {` · ${t('nextRun')} `}
          <RelativeTime at={nextRunAt} />
        </>
      )}
    </Text>
  );
}

function useSave({ id }: Source, onDone: () => void) {
  const t = useTranslations('sources');
  const { tenant } = useWorkspace();
  return useAction(
    (settings: SourceChange) => tenant.call(changeSource, { params: { sourceId: id }, body: settings }),
    {
      changes: ['sources', 'articles'],
      done: t('saved'),
      onError: useSourceError({ isForm: true }),
      onDone,
    },
  );
}

function DeleteButton({ sourceId }: { sourceId: string }) {
  const t = useTranslations('sources');
  const { tenant } = useWorkspace();
  const open = useOpenPage();
  const confirm = useConfirm();
  const remove = useAction(() => tenant.call(deleteSource, { params: { sourceId } }), {
    done: t('deleted'),
    onError: useSourceError(),
    onDone: () => open('/sources'),
    changes: [['sources', 'list'], 'articles'],
  });
  const question = {
    title: t('deleteTitle'),
    lead: t('deleteLead'),
    confirm: t('delete'),
    cancel: t('keepSource'),
  };
  return (
    <Button
      variant="default"
      c="var(--mantine-color-error)"
      leftSection={<Icon name="trash" />}
      onClick={() => confirm(question, remove.mutate)}
      loading={remove.isPending}
    >
      {t('delete')}
    </Button>
  );
}
