import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useId, useMemo } from 'react';
import { useTranslations } from 'use-intl';
import type { AnalyticsOptions } from '../../../sdk/types.ts';
import { getDayBefore, ownZone, parseDays, toTimeRange } from '../../components/days.ts';
import { Loading } from '../../components/page.tsx';
import { type AnalyticsSearch, useFilters } from '../../search-params.ts';

/** Days per preset, including today. */
const DAYS = { today: 1, week: 7, month: 28, quarter: 90, year: 365 } as const;
const PRESETS = Object.keys(DAYS) as Preset[];
type Preset = keyof typeof DAYS;

export type Range = {
  /** `custom` has its own first and last day. */
  readonly name: Preset | 'custom';
  readonly from: string;
  readonly to?: string | undefined;
  readonly by: 'day' | 'hour';
  readonly zone: string;
};

export function parseRange(search: AnalyticsSearch): Range {
  const zone = isZone(search.zone) ? search.zone : ownZone;
  const { from, to } = parseDays(search);
  const by = search.by === 'hour' || search.by === 'day' ? search.by : undefined;
  if (search.range === 'custom' && from && to) return { name: 'custom', from, to, by: by ?? 'day', zone };
  const name = PRESETS.find((each) => each === search.range) ?? 'month';
  return {
    name,
    from: getDayBefore(DAYS[name] - 1, zone),
    by: by ?? (name === 'today' ? 'hour' : 'day'),
    zone,
  };
}

/** A preset ends now. */
export const toAnalyticsOptions = ({ from, to, by, zone }: Range): AnalyticsOptions => ({
  ...toTimeRange({ from, to }, zone),
  by,
  zone,
});

export function zones(): readonly string[] {
  return [...new Set([ownZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

function isZone(name: string | undefined): name is string {
  try {
    return name !== undefined && Boolean(Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** Lazy: only custom ranges need the calendar. */
const DayRange = lazy(async () => ({ default: (await import('../../components/day-range.tsx')).DayRange }));

const ZONES_SHOWN = 50;

export function RangeControls({ range }: { readonly range: Range }) {
  const t = useTranslations('analytics');
  const byId = useId();
  const { change } = useFilters<AnalyticsSearch>();
  const names = useMemo(zones, []);
  const choose = (name: string | null) =>
    name === 'custom'
      ? change({ range: name, from: range.from, to: range.to ?? getDayBefore(0, range.zone) })
      : change({ range: name, from: null, to: null, by: null });
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label={t('period')}
        allowDeselect={false}
        value={range.name}
        onChange={choose}
        data={[...PRESETS, 'custom' as const].map((value) => ({ value, label: t(`periods.${value}`) }))}
      />
      {range.name === 'custom' && (
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
