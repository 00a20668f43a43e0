import { Menu } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { IconButton } from './buttons.tsx';
import type { Column } from './table.tsx';

export type OptionalColumn<Row> = Column<Row> & {
  key: string;
  /** The name in the menu; the label by default. */
  name?: string;
  /** Shown until the reader chooses columns. */
  isStandard?: boolean;
};

/** Lets the reader choose the columns of a list, and keeps the choice on this device. */
export function useColumnChoice<Row>(list: string, columns: readonly OptionalColumn<Row>[]) {
  const [stored, setStored] = useLocalStorage<unknown>({
    key: `guidepost-columns-${list}`,
    getInitialValueInEffect: false,
  });
  const chosen = JSON.stringify(
    Array.isArray(stored) ? stored : columns.filter(({ isStandard }) => isStandard).map(({ key }) => key),
  );
  return useMemo(() => {
    const keys = new Set(JSON.parse(chosen) as readonly string[]);
    return {
      shown: columns.filter(({ key, isTitle }) => isTitle || keys.has(key)),
      keys,
      toggle: (key: string) =>
        setStored(keys.has(key) ? [...keys].filter((each) => each !== key) : [...keys, key]),
    };
  }, [columns, chosen, setStored]);
}

type ColumnsMenuProps = {
  columns: readonly { key: string; label: string; name?: string; isTitle?: boolean }[];
  keys: ReadonlySet<string>;
  toggle: (key: string) => void;
};

export function ColumnsMenu({ columns, keys, toggle }: ColumnsMenuProps) {
  const t = useTranslations('shell');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <IconButton icon="columns" label={t('columns')} title={t('columns')} />
      </Menu.Target>
      <Menu.Dropdown mah={400} className="scrolling">
        {columns
          .filter(({ isTitle }) => !isTitle)
          .map(({ key, label, name = label }) => (
            <Menu.CheckboxItem key={key} checked={keys.has(key)} onChange={() => toggle(key)}>
              {name}
            </Menu.CheckboxItem>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
