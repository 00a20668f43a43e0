import { Anchor, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import { RelativeTime } from '../../components/attribution.tsx';
import { languageNames } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';

/** Lists live translations whose article has changed since. Renders nothing if there are none. */
export function StaleTranslations() {
  const t = useTranslations('inbox');
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  const { data } = useTenantQuery(['review-queue', 'stale'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'everybody', kind: 'stale' }).page(undefined, options),
  );
  if (!data || data.data.length === 0) return null;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4">
            {t('count', { name: t('stale'), count: data.counts.stale })}
          </Title>
          <Text size="sm" c="dimmed">
            {t('staleLead')}
          </Text>
        </div>
        <List listStyleType="none" spacing="xs">
          {data.data.map(({ translationId, articleId, articleTitle, locale, since }) => (
            <List.Item key={translationId}>
              <Group gap="xs">
                <Anchor
                  component={Link}
                  to={`/w/${tenantId}/articles/${articleId}/translations/${locale}`}
                  dir="auto"
                  className="wrap"
                >
                  {articleTitle}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {name(locale)}, <RelativeTime at={since} />
                </Text>
              </Group>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Paper>
  );
}
