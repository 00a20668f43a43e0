import { Group, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { STANDINGS, useStandingText } from '../../components/coverage.tsx';

/** Every symbol of the table with its words. */
export function Legend() {
  const t = useTranslations('articles');
  const text = useStandingText();
  return (
    <Group component="ul" gap="md" className="plain-list" aria-label={t('legend')}>
      {(Object.keys(STANDINGS) as (keyof typeof STANDINGS)[]).map((standing) => {
        const { icon: Icon, color } = STANDINGS[standing];
        return (
          <Group component="li" gap={4} key={standing}>
            <Icon size={16} aria-hidden className={`standing-${color}`} />
            <Text size="xs">{text(standing)}</Text>
          </Group>
        );
      })}
    </Group>
  );
}
