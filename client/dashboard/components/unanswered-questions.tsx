import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { useWorkspace } from '../session.ts';
import { RelativeTime } from './attribution.tsx';
import { TextLink } from './links.tsx';

type UnansweredProps = {
  readonly analytics: Pick<Analytics, 'unanswered' | 'totals'>;
  /** How many questions to show. */
  readonly shown: number;
  /** The namespace of its texts. */
  readonly page: 'analytics' | 'overview';
  /** A button for more questions. */
  readonly more?: ReactNode;
};

/** Unanswered questions, with links to their conversations and to a new article. */
export function UnansweredQuestions({ analytics, shown, page, more }: UnansweredProps) {
  const t = useTranslations(page);
  const questions = analytics.unanswered.slice(0, shown);
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
          <Text>{t(analytics.totals.unanswered > 0 ? 'onlyUnstored' : 'allAnswered')}</Text>
        ) : (
          <QuestionTable questions={questions} page={page} />
        )}
        {more}
      </Stack>
    </Paper>
  );
}

type TableProps = Pick<UnansweredProps, 'page'> & { readonly questions: Analytics['unanswered'] };

function QuestionTable({ questions, page }: TableProps) {
  const t = useTranslations(page);
  const format = useFormatter();
  const { tenantId, canEdit } = useWorkspace();
  return (
    <Table.ScrollContainer minWidth={560}>
      <Table verticalSpacing="xs">
        <caption className="unseen">{t('unanswered')}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('question')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {t('asked')}
            </Table.Th>
            <Table.Th scope="col">{t('last')}</Table.Th>
            {canEdit && <Table.Th scope="col">{t('next')}</Table.Th>}
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
                <RelativeTime at={last} />
              </Table.Td>
              {canEdit && (
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
