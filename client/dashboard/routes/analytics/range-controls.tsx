import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useId, useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { daysAgo } from '../../components/days.ts';
import { Loading } from '../../components/loading.tsx';
import { useFilters } from '../../components/use-filters.ts';
import type { AnalyticsSearch } from '../../router.tsx';
import { PRESETS, type Range, zones } from './range.ts';

/** Calendars are fetched by whoever wants other days than the usual. */
const DayRange = lazy(async () => ({ default: (await import('../../components/day-range.tsx')).DayRange }));

const ZONES_SHOWN = 50;

export function RangeControls({ range }: { readonly range: Range }) {
  const t = useTranslations('analytics');
  const byId = useId();
  const { change } = useFilters<AnalyticsSearch>();
  const names = useMemo(zones, []);
  const choose = (name: string | null) =>
    name === 'own'
      ? change({ range: name, from: range.from, to: range.to ?? daysAgo(0, range.zone) })
      : change({ range: name, from: null, to: null, by: null });
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={t('period')}
        allowDeselect={false}
        value={range.name}
        onChange={choose}
        data={[...PRESETS, 'own' as const].map((value) => ({ value, label: t(`periods.${value}`) }))}
      />
      {range.name === 'own' && (
        <Suspense fallback={<Loading />}>
          <DayRange label={t('days')} days={range} choose={change} clearable={false} />
        </Suspense>
      )}
      <Select
        label={t('zone')}
        searchable
        allowDeselect={false}
        limit={ZONES_SHOWN}
        value={range.zone}
        onChange={(zone) => change({ zone })}
        data={names.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      />
      <Stack gap={4}>
        <Text id={byId} size="sm" fw={500}>
          {t('by')}
        </Text>
        <SegmentedControl
          aria-labelledby={byId}
          value={range.by}
          onChange={(by) => change({ by })}
          data={[
            { value: 'day', label: t('byDay') },
            { value: 'hour', label: t('byHour') },
          ]}
        />
      </Stack>
    </Group>
  );
}
