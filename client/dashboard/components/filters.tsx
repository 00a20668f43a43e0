import {
  Alert,
  Button,
  Group,
  Popover,
  Select,
  type SelectProps,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, type Ref, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Icon } from './icon.tsx';

/** Filters kept in the URL, so that a filtered view is a link. The table of pages lists their names. */

export type Filters = Readonly<Record<string, string | undefined>>;
type Change = Readonly<Record<string, string | null | undefined>>;

export function useFilters() {
  const search: object = useSearch({ strict: false });
  const filters = search as Filters;
  const navigate = useNavigate();
  const change = (changed: Change) =>
    navigate({
      to: '.',
      search: ((before: Filters) => dropEmpty({ ...before, ...changed })) as never,
      replace: true,
      resetScroll: false,
    });
  /** Removes all filters but these. */
  const clear = (...kept: readonly string[]) => {
    const names = Object.keys(filters).filter((name) => !kept.includes(name));
    return change(Object.fromEntries(names.map((name) => [name, null])));
  };
  return { filters, change, clear };
}

function dropEmpty(fields: Change): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => !!field[1]));
}

type FilterBarProps = {
  search?: ReactNode;
  filters: readonly SelectFilterProps[];
  /** Further filters, and their names. */
  more?: ReactNode;
  moreNames?: readonly string[];
  /** At the end of the bar. */
  tools?: ReactNode;
};

/** A search field, one menu with all filters, the order, and a chip for each filter that is set. */
export function FilterBar({ search, filters, more, moreNames = [], tools }: FilterBarProps) {
  const { filters: chosen } = useFilters();
  const menu = useRef<HTMLButtonElement>(null);
  const conditions = filters.filter(({ standard }) => standard === undefined);
  const names = [...conditions.map(({ name }) => name), ...moreNames];
  return (
    <Stack gap="xs">
      <Group role="search" gap="xs">
        {search}
        {more === undefined && conditions.length === 1 ? (
          <SelectFilter {...(conditions[0] as SelectFilterProps)} />
        ) : (
          <FilterMenu button={menu} count={names.filter((name) => chosen[name]).length}>
            {conditions.map((filter) => (
              <SelectFilter key={filter.name} {...filter} comboboxProps={{ withinPortal: false }} />
            ))}
            {more}
          </FilterMenu>
        )}
        {filters
          .filter(({ standard }) => standard !== undefined)
          .map(({ label, ...order }) => (
            <SelectFilter key={order.name} {...order} aria-label={label as string} w={176} />
          ))}
        {tools}
      </Group>
      <Chips filters={conditions} onRemove={() => menu.current?.focus()} />
    </Stack>
  );
}

type FilterMenuProps = { button: Ref<HTMLButtonElement>; count: number; children: ReactNode };

function FilterMenu({ button, count, children }: FilterMenuProps) {
  const t = useTranslations('shell');
  return (
    <Popover position="bottom-start" width={300} trapFocus withinPortal={false} shadow="md">
      <Popover.Target>
        <Button ref={button} variant="default" leftSection={<Icon name="filter" />}>
          {t('filters', { count })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('filters', { count: 0 })}>
        <Stack gap="sm">{children}</Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

type ChipsProps = { filters: readonly SelectFilterProps[]; onRemove: () => void };

/** The filters that are set; each can be removed. */
function Chips({ filters, onRemove }: ChipsProps) {
  const t = useTranslations('shell');
  const { filters: chosen, change } = useFilters();
  const set = filters.filter(({ name }) => chosen[name]);
  if (set.length === 0) return null;
  return (
    <Group gap="xs">
      {set.map(({ name, label, data }) => {
        const text = t('labelled', { label: String(label), value: findLabel(data, chosen[name] ?? '') });
        return (
          <Button
            key={name}
            variant="default"
            size="compact-sm"
            mih={32}
            radius="xl"
            rightSection={<Icon name="x" size={12} />}
            aria-label={t('removeFilter', { filter: text })}
            onClick={() => {
              void change({ [name]: null });
              onRemove();
            }}
          >
            {text}
          </Button>
        );
      })}
    </Group>
  );
}

const findLabel = (data: SelectProps['data'] = [], value: string): string =>
  data
    .flatMap((each) =>
      typeof each === 'object' && 'value' in each ? [each as { value: string; label: string }] : [],
    )
    .find((each) => each.value === value)?.label ?? value;

const TYPING_MILLIS = 250;

/** Filters by words, once typing pauses. */
export function SearchFilter({ label }: { label: string }) {
  const { filters, change } = useFilters();
  const { q = '' } = filters;
  const [text, setText] = useState(q);
  const [sentText, setSentText] = useState(q);
  const send = useDebouncedCallback((value: string) => {
    setSentText(value.trim());
    void change({ q: value.trim() });
  }, TYPING_MILLIS);
  // The filters were cleared, or another link was followed.
  if (q !== sentText && !send.isPending()) {
    setSentText(q);
    if (q !== text.trim()) setText(q);
  }
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      type="search"
      leftSection={<Icon name="search" />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        send(currentTarget.value);
      }}
      className="grow"
    />
  );
}

export type SelectFilterProps = Omit<SelectProps, 'value' | 'onChange' | 'name'> & {
  name: string;
  /** The choice that is made while the filter is not set; without it, the filter can be cleared. */
  standard?: string;
};

function SelectFilter({ name, standard, ...select }: SelectFilterProps) {
  const { filters, change } = useFilters();
  return (
    <Select
      clearable={standard === undefined}
      allowDeselect={standard === undefined}
      value={filters[name] ?? standard ?? null}
      onChange={(value) => void change({ [name]: value === standard ? null : value })}
      {...select}
    />
  );
}

type LinkedFilterProps = { name: string; text: string; clearLabel: string };

/** A filter that only links set. */
export function LinkedFilter({ name, text, clearLabel }: LinkedFilterProps) {
  const { filters, change } = useFilters();
  if (!filters[name]) return null;
  return (
    <Alert color="gray">
      <Group justify="space-between">
        <Text>{text}</Text>
        <Button variant="default" onClick={() => change({ [name]: null })}>
          {clearLabel}
        </Button>
      </Group>
    </Alert>
  );
}
