import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** How much of a month is used, as a bar and in words. */
export function Used({
  label,
  share,
  words,
  children,
}: {
  readonly label: string;
  /** Of what the month may hold: 0 to 1, or undefined where it holds anything. */
  readonly share: number | undefined;
  readonly words: string;
  readonly children?: ReactNode;
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
            color={percent >= 90 ? 'red.8' : 'indigo.7'}
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
