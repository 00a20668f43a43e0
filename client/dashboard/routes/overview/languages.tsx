import { Paper, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'use-intl';
import { Loading } from '../../components/loading.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';

/** How far each language is. */
export function Languages() {
  const t = useTranslations('overview');
  const name = languageNames(useLocale());
  const { tenant, tenantId } = useWorkspace();
  const coverage = useQuery({
    queryKey: ['tenant', tenantId, 'articles', 'coverage'],
    queryFn: ({ signal }) => tenant.articles.coverage({ signal }),
  });
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('languages')}
        </Title>
        {coverage.isPending && <Loading />}
        {coverage.isError && <Trouble error={coverage.error} retry={coverage.refetch} />}
        {coverage.data && (
          <>
            <Text size="sm" c="dimmed">
              {t('languagesLead', { count: coverage.data.published })}
            </Text>
            <Table withRowBorders={false}>
              <Table.Tbody>
                {coverage.data.locales.map(({ locale, live, stale, missing }) => {
                  const words = t('coverage', { live, stale, missing });
                  const all = Math.max(1, live + stale + missing);
                  return (
                    <Table.Tr key={locale}>
                      <Table.Th scope="row" fw={400}>
                        {name(locale)}
                      </Table.Th>
                      <Table.Td>
                        <Progress.Root size="lg" aria-hidden>
                          <Progress.Section value={(live / all) * 100} color="green" />
                          <Progress.Section value={(stale / all) * 100} color="orange" />
                        </Progress.Root>
                        <Text size="xs" c="dimmed">
                          {words}
                        </Text>
                      </Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </>
        )}
      </Stack>
    </Paper>
  );
}
