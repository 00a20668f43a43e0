import { Paper, Progress, Stack, Table, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import { languageNames } from '../languages.ts';
import { PERCENT_OF_MIN } from '../routes/analytics/metrics.ts';
import { useCoverage } from '../session.ts';
import { asCardsWhenNarrow, ColumnHeadings } from './region-table.tsx';
import { Heading } from './text.ts';

/** Translation progress for each language. */
export function LanguageProgress() {
  const t = useTranslations('reviewQueue.progress');
  const name = languageNames(useLocale());
  const { data } = useCoverage();
  const locales = data?.locales ?? [];
  const columns = [t('language'), t('live'), t('stale'), t('inReview'), t('draft'), t('missing')];
  if (!data || locales.length < 2) return null;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="progress">
      <Stack>
        <Heading id="progress">{t('title')}</Heading>
        <Table.ScrollContainer minWidth={560}>
          <Table {...asCardsWhenNarrow(columns)}>
            <ColumnHeadings columns={columns} />
            <Table.Tbody>
              {locales.map(
                ({ locale, live, stale, inReview, approved, draft, changesRequested, missing }) => {
                  const share = live / Math.max(1, data.published);
                  return (
                    <Table.Tr key={locale}>
                      <Table.Th scope="row" fw={400}>
                        {name(locale)}
                        <Progress value={share * 100} size="sm" mt={4} aria-hidden />
                      </Table.Th>
                      <Table.Td>
                        {live}
                        {data.published >= PERCENT_OF_MIN && (
                          <Text span size="sm" c="dimmed">
                            {' '}
                            {t('share', { share })}
                          </Text>
                        )}
                      </Table.Td>
                      <Table.Td>{stale}</Table.Td>
                      <Table.Td>{inReview + approved}</Table.Td>
                      <Table.Td>{draft + changesRequested}</Table.Td>
                      <Table.Td>{missing}</Table.Td>
                    </Table.Tr>
                  );
                },
              )}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Stack>
    </Paper>
  );
}
