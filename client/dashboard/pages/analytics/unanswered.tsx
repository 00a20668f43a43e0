import { Button, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../records.ts';
import { Moment } from '../../parts/moment.tsx';
import { TextLink } from '../../parts/text-link.tsx';
import { useWorkplace } from '../../session.ts';

const SHOWN_AT_ONCE = 10;

type Questions = Analytics['unanswered'];
type UnansweredProps = { readonly analytics: Analytics };

/** What the guide could not answer: from each question to its conversations, and to the article that it lacks. */
export function Unanswered({ analytics: { unanswered: questions, totals } }: UnansweredProps) {
  const t = useTranslations();
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Stack gap={2}>
          <Title order={2} size="h4">
            {t('analytics.unanswered')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('analytics.unansweredLead')}
          </Text>
        </Stack>
        {questions.length === 0 ? (
          <Text>{t(totals.unanswered > 0 ? 'analytics.noneKept' : 'analytics.allAnswered')}</Text>
        ) : (
          <Questions questions={questions.slice(0, shown)} />
        )}
        {questions.length > shown && (
          <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {t('shell.more')}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

function Questions({ questions }: { readonly questions: Questions }) {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const { tenantId, mayChange } = useWorkplace();
  return (
    <Table.ScrollContainer type="native" minWidth={560} tabIndex={0}>
      <Table verticalSpacing="xs">
        <caption className="unseen">{t('unanswered')}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('question')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {t('asked')}
            </Table.Th>
            <Table.Th scope="col">{t('last')}</Table.Th>
            {mayChange && <Table.Th scope="col">{t('next')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {questions.map(({ question, count, last }) => (
            <Table.Tr key={question}>
              <Table.Th scope="row" fw={400}>
                <TextLink
                  to="/w/$tenantId/conversations"
                  params={{ tenantId }}
                  search={{ question }}
                  dir="auto"
                  className="wrap"
                  fz="inherit"
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
                    className="nowrap"
                    fz="inherit"
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
  );
}
