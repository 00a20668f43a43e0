import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { FilterBar, SearchFilter, type SelectFilterProps, useFilters } from './filters.tsx';
import { Loaded } from './loading.tsx';
import { type ListState, LoadMore } from './table.tsx';

type ListViewProps<Row> = {
  /** Has the texts for when the filters match nothing. */
  section: 'answerTests' | 'articles' | 'audit' | 'conversations';
  list: ListState<Row>;
  /** Labels a search field. */
  search?: string;
  filters: readonly SelectFilterProps[];
  /** Further filters, and their names. */
  moreFilters?: ReactNode;
  moreNames?: readonly string[];
  /** Beside the filters. */
  tools?: ReactNode;
  /** Below the filters. */
  notice?: ReactNode;
  /** Names that are no filters. */
  kept?: readonly string[];
  /** Shown when there are no rows without any filter. */
  none?: ReactNode;
  /** Title when the filters match nothing. */
  nothingFound?: string;
  /** Between the filters and the rows. */
  head?: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
};

/** A list below its filters. The URL contains the chosen filters. In place of the rows, the view shows that they load, cannot be loaded, or do not exist. */
export function ListView<Row>(props: ListViewProps<Row>) {
  const { section, list, filters, moreNames = [], notice, kept = [], none, head, children } = props;
  const t = useTranslations(section);
  const { filters: chosen, clear } = useFilters();
  const counted = filters.filter(({ standard }) => standard === undefined).map(({ name }) => name);
  const isFiltered = ['q', ...counted, ...moreNames].some((name) => chosen[name]);
  const isEmpty = list.rows.length === 0;
  const showsNone = none !== undefined && isEmpty && !isFiltered;
  return (
    <Stack>
      {showsNone && !list.error ? null : (
        <FilterBar
          search={props.search && <SearchFilter label={props.search} />}
          filters={filters}
          more={props.moreFilters}
          moreNames={moreNames}
          tools={props.tools}
        />
      )}
      {notice}
      <Loaded query={list} shape="table">
        {() =>
          showsNone ? (
            none
          ) : (
            <>
              {head}
              {isEmpty ? (
                <Alert color="gray" role="status" title={props.nothingFound ?? t('nothingFound')}>
                  <Stack gap="xs" align="flex-start">
                    <Text>{t('nothingFoundLead')}</Text>
                    <LoadMore list={list} />
                    <Button variant="default" onClick={() => clear(...kept)}>
                      {t('clear')}
                    </Button>
                  </Stack>
                </Alert>
              ) : (
                children(list.rows)
              )}
            </>
          )
        }
      </Loaded>
    </Stack>
  );
}
