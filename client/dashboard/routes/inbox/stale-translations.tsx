import { Group, List } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import { RelativeTime } from '../../components/attribution.tsx';
import { ArticleTextLink } from '../../components/links.tsx';
import { Card } from '../../components/page.tsx';
import { Muted } from '../../components/text.ts';
import { languageNames } from '../../languages.ts';
import { useTenantQuery } from '../../session.ts';

/** Lists live translations whose article has changed since. Renders nothing if there are none. */
export function StaleTranslations() {
  const t = useTranslations('inbox');
  const name = languageNames(useLocale());
  const { data } = useTenantQuery(['review-queue', 'stale'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'everybody', kind: 'stale' }).page(undefined, options),
  );
  if (!data || data.data.length === 0) return null;
  return (
    <Card title={t('count', { name: t('stale'), count: data.counts.stale })} lead={t('staleLead')} wide>
      <List listStyleType="none" spacing="xs">
        {data.data.map(({ translationId, articleId, articleTitle, locale, since }) => (
          <List.Item key={translationId}>
            <Group gap="xs">
              <ArticleTextLink articleId={articleId} translation={locale} className="wrap">
                {articleTitle}
              </ArticleTextLink>
              <Muted>
                {name(locale)}, <RelativeTime at={since} />
              </Muted>
            </Group>
          </List.Item>
        ))}
      </List>
    </Card>
  );
}
