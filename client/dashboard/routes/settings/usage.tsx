import { Alert, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { readUsage } from '../../../../generated/routes.ts';
import { useTenantQuery } from '../../session.ts';

export function useUsage() {
  return useTenantQuery(['usage'], (tenant, options) => tenant.call(readUsage, options));
}

/** Names the month of a period such as 2026-11. */
export function useMonthName(): (period: string) => string {
  const format = useFormatter();
  return (period) =>
    format.dateTime(new Date(`${period}-15T12:00:00Z`), { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

export function UsageMeter({
  label,
  share,
  words,
  children,
}: {
  label: string;
  /** 0 to 1; undefined without a limit. */
  share: number | undefined;
  words: string;
  children?: ReactNode;
}) {
  const percent = share === undefined ? undefined : Math.min(100, Math.round(share * 100));
  return (
    <Stack gap={6}>
      <Text fw={500} size="sm">
        {label}
      </Text>
      {percent !== undefined && (
        <Progress.Root size="lg">
          <Progress.Section
            value={percent}
            color={percent >= 90 ? 'red.8' : 'blue.7'}
            aria-label={label}
            aria-valuetext={words}
          />
        </Progress.Root>
      )}
      <Text size="sm">{words}</Text>
      {children}
    </Stack>
  );
}

/** The share of the storage limit from which a warning is shown. */
const WARNING_SHARE = 0.8;

/** Warns when the storage of the workspace is nearly full, and when it is full. */
export function StorageWarning() {
  const t = useTranslations('settings.storage');
  const storage = useUsage().data?.storage;
  if (!storage || storage.usedBytes < storage.bytesMax * WARNING_SHARE) return null;
  const isFull = storage.usedBytes >= storage.bytesMax;
  return (
    <Alert color={isFull ? 'red' : 'yellow'} title={t(isFull ? 'full' : 'nearlyFull')}>
      {t(isFull ? 'fullLead' : 'nearlyFullLead')}
    </Alert>
  );
}
