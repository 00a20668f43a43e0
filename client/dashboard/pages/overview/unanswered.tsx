import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../records.ts';
import { Moment } from '../../parts/moment.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { useWorkplace } from '../../session.ts';

const SHOWN = 5;

/** From an unanswered question to the article that would have answered it. */
export function Unanswered({ questions }: { readonly questions: Analytics['unanswered'] }) {
  const t = useTranslations('overview');
  const format = useFormatter();
  const { tenantId, mayChange } = useWorkplace();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Stack gap={2}>
          <Title order={2} size="h4">
            {t('unanswered')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('unansweredLead')}
          </Text>
        </Stack>
        {questions.length === 0 ? (
          <Text>{t('allAnswered')}</Text>
        ) : (
          <Table.ScrollContainer minWidth={520} tabIndex={0}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t('question')}</Table.Th>
                  <Table.Th scope="col" ta="end">
                    {t('asked')}
                  </Table.Th>
                  <Table.Th scope="col">{t('last')}</Table.Th>
                  {mayChange && <Table.Th scope="col">{t('write')}</Table.Th>}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {questions.slice(0, SHOWN).map(({ question, count, last }) => (
                  <Table.Tr key={question}>
                    <Table.Th scope="row" fw={400}>
                      <TextLink
                        to="/w/$tenantId/conversations"
                        params={{ tenantId }}
                        search={{ question }}
                        dir="auto"
                        className="wrap"
                      >
                        {question}
                      </TextLink>
                    </Table.Th>
                    <Table.Td ta="end">{format.number(count)}</Table.Td>
                    <Table.Td className="nowrap">
                      <Moment at={last} />
                    </Table.Td>
                    {mayChange && (
                      <Table.Td>
                        <TextLink
                          to="/w/$tenantId/articles/new"
                          params={{ tenantId }}
                          search={{ title: question }}
                          aria-label={t('writeFor', { question })}
                        >
                          {t('write')}
                        </TextLink>
                      </Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Stack>
    </Paper>
  );
}
