import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import {
  cancelSourceRun,
  listSourceRunItems,
  listSourceRunReasons,
  readSource,
  readSourceRun,
  readSourceRunText,
  startSourceRun,
} from '../../../../generated/routes.ts';
import type { Source, SourceRun, SourceRunItem } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import { useErrorText } from '../../components/loading.tsx';
import { showToast, useAction } from '../../components/use-action.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';

const POLL_MILLIS = 1000;
/** The interval while no run is under way, to show scheduled runs without a reload. */
const IDLE_MILLIS = 15_000;

/** True while a run progresses without a person. */
export const isUnderWay = ({ state }: Pick<SourceRun, 'state'>) =>
  state === 'queued' || state === 'reading' || state === 'applying';

/** The state of a source does not tell while a run is open. */
export const isSourcePaused = ({ state, schedule, nextRunAt }: Source) =>
  state === 'paused' || (schedule !== 'manual' && nextRunAt === undefined);

/** Returns how long to wait between polls: shorter while a run is under way. */
export function getPollMillis(sources: readonly Source[]): number {
  return sources.some(({ lastRun }) => lastRun && isUnderWay(lastRun)) ? POLL_MILLIS : IDLE_MILLIS;
}

export const useSource = (sourceId: string) =>
  useTenantQuery(
    ['sources', sourceId],
    (tenant, { signal }) => tenant.call(readSource, { params: { sourceId }, signal }),
    { refetchInterval: ({ state: { data } }) => getPollMillis(data ? [data] : []) },
  );

export const useRun = (sourceId: string, runId: string) =>
  useTenantQuery(
    ['sources', sourceId, 'runs', runId],
    (tenant, { signal }) => tenant.call(readSourceRun, { params: { sourceId, runId }, signal }),
    { refetchInterval: ({ state: { data } }) => (data && !isUnderWay(data) ? false : POLL_MILLIS) },
  );

type RunKeys = { sourceId: string; runId: string };

/** Counts what a run left out, by reason. */
export const useRunReasons = (params: RunKeys, state: SourceRun['state']) =>
  useTenantQuery(
    ['sources', params.sourceId, 'runs', params.runId, 'refusals', state],
    (tenant, { signal }) => tenant.call(listSourceRunReasons, { params, signal }),
  );

/** Reads a text of a run, before and after it. */
export const useRunText = (params: RunKeys, place: string) =>
  useTenantQuery(['sources', params.sourceId, 'runs', params.runId, 'text', place], (tenant, { signal }) =>
    tenant.call(readSourceRunText, { params, query: { place }, signal }),
  );

/** The largest page of rows that the service returns. */
const ROWS_PER_PAGE = 200;

/** Reads the articles that a run has created or changed, once the run is done. */
export function useRunArticles(sourceId: string, { id: runId, state }: SourceRun) {
  const { tenant, tenantId } = useWorkspace();
  const read = async (outcome: 'added' | 'changed', signal: AbortSignal) => {
    const rows: SourceRunItem[] = [];
    let cursor: string | undefined;
    do {
      const params = { sourceId, runId };
      const query = { outcome, limit: ROWS_PER_PAGE, cursor };
      const page = await tenant.call(listSourceRunItems, { params, query, signal });
      rows.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return rows;
  };
  return useQuery({
    queryKey: ['tenant', tenantId, 'sources', sourceId, 'runs', runId, 'articles'],
    queryFn: async ({ signal }) => {
      const rows = [...(await read('added', signal)), ...(await read('changed', signal))];
      return [...new Set(rows.flatMap(({ articleId }) => articleId ?? []))];
    },
    enabled: state === 'done',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Shows errors of actions on sources with specific texts. A form shows those of its fields itself. */
export function useSourceError({ isForm = false } = {}): (error: unknown) => boolean {
  const t = useTranslations('sources.errors');
  const text = useErrorText();
  return (error) => {
    if (!isGuideError(error)) return false;
    if (isForm && isGuideError(error, 'request/invalid')) return true;
    const errorKey = error.code.startsWith('source/') ? error.code.slice('source/'.length) : undefined;
    showToast(errorKey && errorKey in KNOWN_ERRORS ? t(errorKey as keyof typeof KNOWN_ERRORS) : text(error), {
      isError: true,
    });
    return true;
  };
}

const KNOWN_ERRORS = {
  busy: true,
  file_too_large: true,
  nothing_uploaded: true,
  too_many: true,
  too_much_uploaded: true,
};

type RunKey = { sourceId: string; onDone?: (run: SourceRun) => void | Promise<void> };

export function useStartRun({ sourceId, onDone }: RunKey) {
  const { tenant } = useWorkspace();
  const onError = useSourceError();
  return useAction(
    (preview: boolean) => tenant.call(startSourceRun, { params: { sourceId }, body: { preview } }),
    { changes: ['sources'], onError, onDone },
  );
}

export function useCancelRun(sourceId: string) {
  const t = useTranslations('sources');
  const { tenant } = useWorkspace();
  const onError = useSourceError();
  return useAction((runId: string) => tenant.call(cancelSourceRun, { params: { sourceId, runId } }), {
    changes: ['sources'],
    done: t('cancelled'),
    onError,
  });
}
