import { Button, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { ArticleLink } from '../../components/article-link.tsx';
import { ColumnHeadings } from '../../components/column-headings.tsx';
import { languageNames } from '../../language.ts';

/** Each row asks for its article, so that no more are shown than somebody wants to see. */
const SHOWN_AT_ONCE = 10;

/** What visitors are answered from. */
export function Cited({ articles }: Pick<Analytics, 'articles'>) {
  const t = useTranslations();
  const format = useFormatter();
  const name = languageNames(useLocale());
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('analytics.cited')}
        </Title>
        {articles.length === 0 ? (
          <Text>{t('analytics.nothingCited')}</Text>
        ) : (
          <Table.ScrollContainer minWidth={420}>
            <Table verticalSpacing="xs">
              <caption className="unseen">{t('analytics.cited')}</caption>
              <ColumnHeadings columns={[t('analytics.article'), t('analytics.language')]}>
                <Table.Th scope="col" ta="end">
                  {t('analytics.citations')}
                </Table.Th>
              </ColumnHeadings>
              <Table.Tbody>
                {articles.slice(0, shown).map(({ article, locale, citations }) => (
                  <Table.Tr key={`${article}:${locale}`}>
                    <Table.Th scope="row" fw={400}>
                      <ArticleLink id={article} locale={locale} />
                    </Table.Th>
                    <Table.Td>{name(locale)}</Table.Td>
                    <Table.Td ta="end">{format.number(citations)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        {articles.length > shown && (
          <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {t('shell.more')}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}
