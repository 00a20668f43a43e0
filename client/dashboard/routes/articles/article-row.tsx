import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import type { ArticleSummary } from '../../../sdk/types.ts';
import { nextOf, StandingIcon, standingOf, useStandingText } from '../../components/coverage.tsx';
import { Moment } from '../../components/moment.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { ArticleStatus } from './article-status.tsx';

/** An article in the list: how it stands, and how it stands in every language of the workspace. */
export function ArticleRow({
  article,
  locales,
}: {
  readonly article: ArticleSummary;
  readonly locales: readonly string[];
}) {
  const { tenantId } = useWorkspace();
  const { id, title, locale, updatedAt } = article;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} maw={380}>
        <Stack gap={0}>
          <Anchor component={Link} to={`/w/${tenantId}/articles/${id}`} dir="auto" lang={locale} fw={600}>
            {title}
          </Anchor>
          <Text size="xs" c="dimmed" truncate>
            {article.slug}
          </Text>
        </Stack>
      </Table.Th>
      <Table.Td>
        <ArticleStatus article={article} />
      </Table.Td>
      {locales.map((each) => (
        <Table.Td key={each} ta="center">
          <Cell article={article} locale={each} />
        </Table.Td>
      ))}
      <Table.Td className="nowrap">
        <Moment at={updatedAt} />
      </Table.Td>
    </Table.Tr>
  );
}

function Cell({ article, locale }: { readonly article: ArticleSummary; readonly locale: string }) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const text = useStandingText();
  const { tenantId, mayChange } = useWorkspace();
  if (locale === article.locale) {
    return (
      <Text
        component="span"
        size="xs"
        c="dimmed"
        aria-label={t('statuses.source')}
        title={t('statuses.source')}
      >
        ●
      </Text>
    );
  }
  const variant = article.translations.find((each) => each.locale === locale);
  const icon = <StandingIcon variant={variant} />;
  if (!variant && !mayChange) return icon;
  const next = nextOf(variant);
  const status = next
    ? t('statuses.liveAnd', { status: t(`statuses.translation.${next}`) })
    : text(standingOf(variant));
  const label = variant
    ? t('articles.openTranslation', { language: name(locale), status })
    : t('articles.translateTo', { title: article.title, language: name(locale) });
  return (
    <Anchor
      component={Link}
      to={`/w/${tenantId}/articles/${article.id}/translations/${locale}`}
      aria-label={label}
      className="cell-link"
    >
      {icon}
    </Anchor>
  );
}
