import { Checkbox } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ArticleSummary } from '../../../sdk/types.ts';

export type Selection = {
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
    <Checkbox
      aria-label={t('selectShown')}
      title={t('keysHint')}
      checked={isAll}
      indeterminate={!isAll && ids.size > 0}
      onChange={() => set(isAll ? [] : [...ids, ...rows.map(({ id }) => id)])}
    />
  );
}
