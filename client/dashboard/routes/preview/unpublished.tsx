import { Paper, Stack, Table, Title } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { Preview } from '../../../sdk/types.ts';
import { ArticleTextLink } from '../../components/article-link.tsx';
import { ColumnHeadings } from '../../components/column-headings.tsx';
import { languageNames } from '../../language.ts';

/** What would have fitted, had it been published: the shortest way to an answer. */
export function Unpublished({ matches }: { readonly matches: Preview['unpublished'] }) {
  const t = useTranslations('tryIt');
  const name = languageNames(useLocale());
  if (matches.length === 0) return null;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('unpublished')}
        </Title>
        <Table>
          <ColumnHeadings columns={[t('text'), t('locale'), t('why')]} />
          <Table.Tbody>
            {matches.map(({ articleId, translationId, locale, title, reason }) => (
              <Table.Tr key={translationId ?? articleId}>
                <Table.Th scope="row" fw={400}>
                  <ArticleTextLink articleId={articleId} translation={translationId && locale} lang={locale}>
                    {title}
                  </ArticleTextLink>
                </Table.Th>
                <Table.Td>{name(locale)}</Table.Td>
                <Table.Td>{t(`reason.${reason}`)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  );
}
