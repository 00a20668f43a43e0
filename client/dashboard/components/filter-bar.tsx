import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';

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
        leftSection={<IconFilter size={16} aria-hidden />}
      >
        {t('filters', { count })}
      </Button>
      {children}
    </Group>
  );
}
