import { Alert, Button, Group, Select, type SelectProps, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
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
  search: ReactNode;
  /** How many filters are set. */
  count: number;
  /** The filters. */
  children: ReactNode;
};

/** A search field and its filters. On a phone a button shows the filters, which would fill the screen above the list. */
export function FilterBar({ search, count, children }: FilterBarProps) {
  const t = useTranslations('shell');
  const [opened, { toggle }] = useDisclosure(false);
  return (
    <Group role="search" align="flex-end" gap="sm" className="filters" data-opened={opened || undefined}>
      {search}
      <Button
        variant="default"
        hiddenFrom="sm"
        aria-expanded={opened}
        onClick={toggle}
        leftSection={<Icon name="filter" />}
      >
        {t('filters', { count })}
      </Button>
      {children}
    </Group>
  );
}

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
      label={label}
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

export function SelectFilter({ name, standard, ...select }: SelectFilterProps) {
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
