import { Anchor, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { useWorkspace } from '../../session.ts';

type Totals = Analytics['totals'];

const shareOf = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);
const helpedOf = ({ feedback: { up, down } }: Totals) => shareOf(up, up + down);
const answeredOf = ({ answered, unanswered }: Totals) => shareOf(answered, answered + unanswered);

/** Four figures beside what they were before. */
export function Figures({ analytics: { totals, previous } }: { readonly analytics: Analytics }) {
  const t = useTranslations('overview');
  const format = useFormatter();
  const { tenantId } = useWorkspace();
  const count = (value: number) => format.number(value);
  const percent = (value: number | undefined) =>
    value === undefined ? '–' : format.number(value, { style: 'percent', maximumFractionDigits: 0 });
  const ratings = totals.feedback.up + totals.feedback.down;
  const figures = [
    { label: t('questions'), now: count(totals.turns), earlier: count(previous.turns) },
    { label: t('answered'), now: percent(answeredOf(totals)), earlier: percent(answeredOf(previous)) },
    { label: t('visitors'), now: count(totals.visitors), earlier: count(previous.visitors) },
    {
      label: t('helped'),
      now: percent(helpedOf(totals)),
      earlier: percent(helpedOf(previous)),
      aside: ratings === 0 ? t('noRatings') : t('ofRatings', { count: ratings }),
    },
  ];
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md" component="dl" className="plain-list">
        {figures.map(({ label, now, earlier, aside }) => (
          <Paper withBorder p="md" key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Group component="dd" gap="xs" align="baseline" m={0}>
              <Text component="span" fz={28} fw={700}>
                {now}
              </Text>
              <Text component="span" size="sm" c="dimmed">
                {aside ? `${aside}, ` : ''}
                {t('before', { value: earlier })}
              </Text>
            </Group>
          </Paper>
        ))}
      </SimpleGrid>
      <Anchor component={Link} to={`/w/${tenantId}/analytics`} size="sm" className="self-start">
        {t('more')}
      </Anchor>
    </Stack>
  );
}
