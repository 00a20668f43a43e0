import {
  Button,
  Checkbox,
  CloseButton,
  Group,
  Modal,
  Paper,
  Progress,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../../contract/limits/articles.ts';
import {
  changeArticles,
  createCollection,
  exportArticles,
  listArticleIds,
} from '../../../../generated/routes.ts';
import type { BulkAction, BulkOutcome } from '../../../../generated/types.ts';
import { readError } from '../../../sdk/errors.ts';
import type { ArticleFilters, ArticleSummary } from '../../../sdk/types.ts';
import { AudienceField } from '../../components/audience-field.tsx';
import { downloadFile } from '../../components/download.tsx';
import { showToast, useAction, useConfirm, useDeferredAction } from '../../components/use-action.tsx';
import { serviceUrl, useWorkspace } from '../../session.ts';
import { useArticleFacets } from './collections.tsx';

type Selection = {
  ids: ReadonlySet<string>;
  rows: readonly ArticleSummary[];
  set(ids: Iterable<string>): void;
  toggle(id: string, isSelected?: boolean): void;
};

/** Selects rows. `listKey` identifies the filters: when they change, the selection is cleared. */
export function useSelection(
  rows: readonly ArticleSummary[],
  listKey: string,
  initial: Iterable<string> = [],
): Selection {
  const [state, setState] = useState(() => ({ listKey, ids: new Set(initial) as ReadonlySet<string> }));
  const ids = state.listKey === listKey ? state.ids : NONE;
  const set = (next: Iterable<string>) => setState({ listKey, ids: new Set(next) });
  return {
    ids,
    rows,
    set,
    toggle(id, isSelected = !ids.has(id)) {
      set(isSelected ? [...ids, id] : [...ids].filter((each) => each !== id));
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** X toggles the focused row; Shift with an arrow key selects it and the next one. */
export function selectByKey(event: KeyboardEvent<HTMLElement>, selection: Selection): void {
  const row = (event.target as HTMLElement).closest('tr');
  const rows = row?.closest('table')?.rows;
  const id = getId(row);
  if (!row || !rows || id === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'x' && !event.shiftKey) selection.toggle(id);
  if (!event.shiftKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  const next = rows[row.rowIndex + (event.key === 'ArrowDown' ? 1 : -1)];
  const nextId = getId(next);
  if (nextId === undefined) return;
  event.preventDefault();
  selection.set([...selection.ids, id, nextId]);
  next?.querySelector<HTMLElement>('[data-article]')?.focus();
}

const getId = (row: Element | null | undefined) =>
  row?.querySelector<HTMLElement>('[data-article]')?.dataset.article;

type SelectBoxProps = { article: ArticleSummary; selection: Selection };

function SelectBox({ article: { id, title }, selection }: SelectBoxProps) {
  const t = useTranslations('articles');
  return (
    <Checkbox
      aria-label={t('select', { title })}
      aria-keyshortcuts="x"
      data-article={id}
      checked={selection.ids.has(id)}
      onChange={({ currentTarget }) => selection.toggle(id, currentTarget.checked)}
    />
  );
}

/** The column of checkboxes, with one for all rows in its heading. */
export const toSelectColumn = (selection: Selection) => ({
  heading: <SelectShown selection={selection} />,
  cell: (article: ArticleSummary) => <SelectBox article={article} selection={selection} />,
});

function SelectShown({ selection: { rows, ids, set } }: { selection: Selection }) {
  const t = useTranslations('articles');
  const isAll = rows.every(({ id }) => ids.has(id));
  return (
    <Group gap="xs" wrap="nowrap">
      <Checkbox
        aria-label={t('selectShown')}
        title={t('keysHint')}
        checked={isAll}
        indeterminate={!isAll && ids.size > 0}
        onChange={() => set(isAll ? [] : [...ids, ...rows.map(({ id }) => id)])}
      />
      <span className="narrow-only nowrap" aria-hidden>
        {t('selectShown')}
      </span>
    </Group>
  );
}

type BulkBarProps = {
  selection: Selection;
  total: number;
  /** The filters of the list. */
  conditions: Omit<ArticleFilters, 'sort' | 'limit' | 'signal'>;
};

/** The actions for the selected articles; nothing while none is selected. */
export function BulkBar({ selection, total, conditions }: BulkBarProps) {
  const t = useTranslations('articles');
  const { tenant } = useWorkspace();
  const [dialog, setDialog] = useState<Naming | 'restrict'>();
  const { act, progress } = useBulkAction(selection);
  const selectAll = useAction(() => tenant.call(listArticleIds, { query: conditions }), {
    onDone: ({ data }) => selection.set(data),
  });
  const count = selection.ids.size;
  if (count === 0) return null;
  const run = (action: BulkChange) => act.mutate({ ...action, articleIds: [...selection.ids] });
  return (
    <Paper withBorder p="xs" role="region" aria-label={t('bulkBar')} className="bulk-bar">
      <Group gap={6}>
        <CloseButton aria-label={t('clearSelection')} size={36} onClick={() => selection.set([])} />
        <Text size="sm" fw={600} role="status">
          {progress ? t('bulkProgress', progress) : t('selected', { count })}
        </Text>
        <Button
          {...PLAIN}
          variant="filled"
          onClick={() => run({ action: 'publish' })}
          loading={act.isPending}
        >
          {t('publish')}
        </Button>
        <Button {...PLAIN} onClick={() => run({ action: 'unpublish' })} disabled={act.isPending}>
          {t('unpublish')}
        </Button>
        {(['move', 'tag', 'untag'] as const).map((kind) => (
          <Button {...PLAIN} key={kind} onClick={() => setDialog(kind)} disabled={act.isPending}>
            {t(NAMING[kind].button)}
          </Button>
        ))}
        <Button {...PLAIN} onClick={() => setDialog('restrict')} disabled={act.isPending}>
          {t('restrict')}
        </Button>
        <ExportButton selection={selection} />
        <DeleteButton selection={selection} disabled={act.isPending} />
        {count < total && (
          <Button
            {...PLAIN}
            variant="subtle"
            onClick={() => selectAll.mutate()}
            loading={selectAll.isPending}
          >
            {t('selectMatching', { count: total })}
          </Button>
        )}
      </Group>
      {progress && (
        <Progress
          className="bulk-progress"
          size="xs"
          value={(progress.done / progress.total) * 100}
          aria-label={t('bulkBar')}
        />
      )}
      {dialog === 'restrict' && <AudienceDialog run={run} close={() => setDialog(undefined)} />}
      {dialog && dialog !== 'restrict' && (
        <NameDialog kind={dialog} run={run} close={() => setDialog(undefined)} />
      )}
    </Paper>
  );
}

const PLAIN = { variant: 'default', size: 'sm', px: 'sm' } as const;

function ExportButton({ selection }: Pick<BulkBarProps, 'selection'>) {
  const t = useTranslations('articles');
  const exporting = useAction(useExport());
  return (
    <Button {...PLAIN} onClick={() => exporting.mutate([...selection.ids])} loading={exporting.isPending}>
      {t('exportSelected')}
    </Button>
  );
}

function DeleteButton({ selection, disabled }: Pick<BulkBarProps, 'selection'> & { disabled: boolean }) {
  const t = useTranslations('articles');
  const remove = useBulkDelete(selection);
  const confirm = useConfirm();
  const question = {
    title: t('deleteSelectedTitle', { count: selection.ids.size }),
    lead: t('deleteSelectedLead'),
    confirm: t('delete'),
  };
  return (
    <Button
      {...PLAIN}
      c="var(--mantine-color-error)"
      onClick={() => confirm(question, () => remove([...selection.ids]))}
      disabled={disabled}
    >
      {t('deleteSelected')}
    </Button>
  );
}

/** Downloads articles as JSON Lines that can be imported again. */
function useExport() {
  const { tenantId } = useWorkspace();
  const url = serviceUrl + exportArticles.path.replace(':tenantId', tenantId);
  return async (ids: readonly string[]) => {
    const parts: Blob[] = [];
    for (let at = 0; at < ids.length; at += ARTICLE_LIMITS.bulkArticlesMax) {
      const body = JSON.stringify({ articleIds: ids.slice(at, at + ARTICLE_LIMITS.bulkArticlesMax) });
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: exportArticles.method, headers, body });
      if (!response.ok) throw await readError(response);
      parts.push(await response.blob());
    }
    downloadFile('articles.jsonl', parts, 'application/jsonl');
  };
}

function useBulkDelete(selection: Selection) {
  const t = useTranslations('articles');
  const { send } = useBulkSender();
  return useDeferredAction(
    async (articleIds: readonly string[], options) => {
      const { refused } = await send({ action: 'delete', articleIds: [...articleIds] }, options);
      if (refused > 0) showToast(t('bulkRefused', { count: refused }), { isError: true });
    },
    {
      ids: (articleIds) => articleIds,
      changes: ['articles'],
      done: ({ length: count }) => t('bulkDone.delete', { count }),
      onStart: () => selection.set([]),
    },
  );
}

type BulkChange = Omit<BulkAction, 'articleIds'>;
type BulkResult = { data: readonly BulkOutcome[]; done: number; refused: number };

function useBulkAction(selection: Selection) {
  const t = useTranslations('articles');
  const { send, progress } = useBulkSender();
  const act = useAction(async (action: BulkAction) => ({ action: action.action, ...(await send(action)) }), {
    changes: ['articles'],
    done: ({ action, done }) => t(`bulkDone.${action}`, { count: done }),
    undo: ({ data }, action) => {
      const unchanged = new Set(selection.rows.filter(({ changed }) => !changed).map(({ id }) => id));
      const inverse = invert(
        action,
        data,
        action.articleIds.every((id) => unchanged.has(id)),
      );
      if (inverse.length === 0) return undefined;
      return async () => {
        for (const each of inverse) await send(each);
      };
    },
    onDone: ({ refused }) => {
      if (refused > 0) showToast(t('bulkRefused', { count: refused }), { isError: true });
    },
  });
  return { act, progress };
}

/** Sends as many requests as needed, one after another unless the page is being left. */
function useBulkSender() {
  const { tenant } = useWorkspace();
  const [progress, setProgress] = useState<{ done: number; total: number }>();
  const send = async (
    action: BulkAction,
    { keepalive = false }: { keepalive?: boolean } = {},
  ): Promise<BulkResult> => {
    const total = action.articleIds.length;
    const isLong = total > ARTICLE_LIMITS.bulkArticlesMax;
    const replies: Promise<BulkResult>[] = [];
    if (isLong) addEventListener('beforeunload', preventUnload);
    try {
      for (let at = 0; at < total; at += ARTICLE_LIMITS.bulkArticlesMax) {
        const articleIds = action.articleIds.slice(at, at + ARTICLE_LIMITS.bulkArticlesMax);
        const reply = tenant.call(changeArticles, { body: { ...action, articleIds }, keepalive });
        replies.push(reply);
        if (isLong) setProgress({ done: at, total });
        if (!keepalive) await reply;
      }
      return mergeResults(await Promise.all(replies));
    } finally {
      removeEventListener('beforeunload', preventUnload);
      setProgress(undefined);
    }
  };
  return { send, progress };
}

/** Makes the browser ask before it closes the page while requests remain to be sent. */
const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();

const mergeResults = (results: readonly BulkResult[]): BulkResult => ({
  data: results.flatMap(({ data }) => data),
  done: results.reduce((sum, { done }) => sum + done, 0),
  refused: results.reduce((sum, { refused }) => sum + refused, 0),
});

/** Returns the actions that undo a bulk action; none if it cannot be undone, as when an older live text is lost. */
function invert(action: BulkAction, data: readonly BulkOutcome[], isRepublishable: boolean): BulkAction[] {
  const done = data.filter(({ outcome }) => outcome === 'done');
  const toIds = (outcomes: readonly BulkOutcome[]) => outcomes.map(({ articleId }) => articleId);
  const actions = (): BulkAction[] => {
    switch (action.action) {
      case 'publish':
        return [
          {
            action: 'unpublish',
            articleIds: toIds(done.filter((each) => each.previousStatus !== 'published')),
          },
        ];
      case 'unpublish':
        return isRepublishable ? [{ action: 'publish', articleIds: toIds(done) }] : [];
      case 'tag':
        return [{ action: 'untag', articleIds: toIds(done), tag: action.tag! }];
      case 'untag':
        return [{ action: 'tag', articleIds: toIds(done), tag: action.tag! }];
      case 'move': {
        const before = Map.groupBy(done, ({ previousCollectionId }) => previousCollectionId ?? null);
        return [...before].map(([collectionId, outcomes]) => ({
          action: 'move' as const,
          articleIds: toIds(outcomes),
          collectionId,
        }));
      }
      case 'restrict': {
        const before = Map.groupBy(done, ({ previousAudience = [] }) => JSON.stringify(previousAudience));
        return [...before].map(([audience, outcomes]) => ({
          action: 'restrict' as const,
          articleIds: toIds(outcomes),
          audience: JSON.parse(audience),
        }));
      }
      default:
        return [];
    }
  };
  return actions().filter(({ articleIds }) => articleIds.length > 0);
}

const NAMING = {
  move: { button: 'moveTo', title: 'moveTitle' },
  tag: { button: 'addTag', title: 'tagTitle' },
  untag: { button: 'removeTag', title: 'untagTitle' },
} as const;
type Naming = keyof typeof NAMING;

type NameDialogProps = {
  kind: Naming;
  run: (action: BulkChange) => void;
  close: () => void;
};

/** Asks for a collection or tag: a known one, or a new one by name. */
function NameDialog({ kind, run, close }: NameDialogProps) {
  const t = useTranslations('articles');
  const { tenant } = useWorkspace();
  const { collections, tags } = useArticleFacets();
  const finish = (action: BulkChange) => {
    close();
    run(action);
  };
  const create = useAction((text: string) => tenant.call(createCollection, { body: { name: text } }), {
    onDone: ({ id }) => finish({ action: 'move', collectionId: id }),
  });
  const choose = (key: string) =>
    finish(
      kind === 'move'
        ? { action: kind, collectionId: key === 'none' ? null : key }
        : { action: kind, tag: key },
    );
  const submit = (text: string) => {
    if (kind !== 'move') return finish({ action: kind, tag: text });
    const collection = collections.find((each) => each.name === text);
    return collection ? choose(collection.id) : create.mutate(text);
  };
  const choices =
    kind === 'move'
      ? [
          { key: 'none', label: t('noCollection') },
          ...collections.map(({ id, name: label }) => ({ key: id, label })),
        ]
      : tags.map(({ tag }) => ({ key: tag, label: tag }));
  return (
    <Modal opened onClose={close} title={t(NAMING[kind].title)}>
      <Stack>
        {choices.length > 0 && (
          <Group gap="xs">
            {choices.map(({ key, label }) => (
              <Button key={key} variant="default" size="sm" onClick={() => choose(key)}>
                {label}
              </Button>
            ))}
          </Group>
        )}
        {kind !== 'untag' && <NameForm kind={kind} submit={submit} isPending={create.isPending} />}
      </Stack>
    </Modal>
  );
}

function AudienceDialog({ run, close }: Omit<NameDialogProps, 'kind'>) {
  const t = useTranslations('articles');
  const [audience, setAudience] = useState<string[]>([]);
  return (
    <Modal opened onClose={close} title={t('audience')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          run({ action: 'restrict', audience });
        }}
      >
        <Stack align="flex-start">
          <AudienceField value={audience} change={setAudience} />
          <Button type="submit">{t('restrictNow')}</Button>
        </Stack>
      </form>
    </Modal>
  );
}

type NameFormProps = Pick<NameDialogProps, 'kind'> & {
  submit: (name: string) => void;
  isPending: boolean;
};

function NameForm({ kind, submit, isPending }: NameFormProps) {
  const t = useTranslations('articles');
  const [name, setName] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') submit(name.trim());
      }}
    >
      <Group align="flex-end">
        <TextInput
          label={t(kind === 'move' ? 'newCollection' : 'tag')}
          description={kind === 'tag' ? t('tagHint') : undefined}
          maxLength={kind === 'move' ? ARTICLE_LIMITS.collectionNameCharsMax : ARTICLE_LIMITS.tagCharsMax}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" loading={isPending}>
          {t(kind === 'move' ? 'createAndMove' : NAMING[kind].title)}
        </Button>
      </Group>
    </form>
  );
}
