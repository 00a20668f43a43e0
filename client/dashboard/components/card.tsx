import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Limits the line length, in pixels. */
export const READABLE_WIDTH = 820;

type CardProps = {
  readonly title: string;
  readonly lead?: ReactNode;
  /** For tables with many columns. */
  readonly wide?: boolean;
  readonly children: ReactNode;
};

/** A section of a page under its heading. */
export function Card({ title, lead, wide = false, children }: CardProps) {
  return (
    <Paper withBorder p="lg" maw={wide ? undefined : READABLE_WIDTH}>
      <CardContent title={title} lead={lead}>
        {children}
      </CardContent>
    </Paper>
  );
}

type CardContentProps = Omit<CardProps, 'wide'> & {
  /** Id of the heading, for a region that it labels. */
  readonly id?: string;
};

export function CardContent({ id, title, lead, children }: CardContentProps) {
  return (
    <Stack>
      <Stack gap={4}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {lead && (
          <Text size="sm" c="dimmed">
            {lead}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  );
}

/** Stands where a list will be. */
export function EmptyState({ title, lead, children }: Omit<CardProps, 'wide'>) {
  return (
    <Paper withBorder p="xl">
      <Stack align="flex-start">
        <Text fw={600} size="lg">
          {title}
        </Text>
        <Text>{lead}</Text>
        {children}
      </Stack>
    </Paper>
  );
}
