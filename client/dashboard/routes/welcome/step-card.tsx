import { Group, Paper, Stack, ThemeIcon, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Mark } from '../../components/mark.tsx';

type StepCardProps = {
  readonly number: number;
  readonly title: string;
  readonly done: boolean;
  readonly children: ReactNode;
};

export function StepCard({ number, title, done, children }: StepCardProps) {
  const t = useTranslations('welcome');
  return (
    <Paper component="li" withBorder p="lg">
      <Stack>
        <Group gap="sm">
          <ThemeIcon
            radius="xl"
            variant={done ? 'filled' : 'light'}
            color={done ? 'green.9' : 'indigo'}
            aria-hidden
          >
            {done ? <IconCheck size={18} /> : number}
          </ThemeIcon>
          <Title order={2} size="h4">
            {title}
          </Title>
          {done && <Mark color="green">{t('done')}</Mark>}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
