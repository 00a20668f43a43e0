import { Group, List, Paper, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { useInboxTop } from '../session.ts';
import { PageLink } from './links.tsx';
import { ErrorMessage, Loading } from './page.tsx';
import { Heading, Muted } from './text.ts';

/** The questions that would help most when answered, each with a link to its group in the inbox. */
export function InboxTop({ totals }: Pick<Analytics, 'totals'>) {
  const t = useTranslations();
  const top = useInboxTop();
  const groups = top.data?.data ?? [];
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Stack gap={2}>
          <Heading>{t('inbox.top')}</Heading>
          <Muted>{t('inbox.topLead')}</Muted>
        </Stack>
        {top.isPending && <Loading />}
        {top.isError && <ErrorMessage error={top.error} retry={top.refetch} />}
        {top.data && groups.length === 0 && <NoQuestions totals={totals} />}
        {groups.length > 0 && (
          <List listStyleType="none" spacing="xs">
            {groups.map(({ id, asked, questions: [first] }) => (
              <List.Item key={id}>
                <Group gap="xs">
                  <PageLink to="/inbox" hash={id} dir="auto" lang={first?.locale} className="wrap">
                    {first?.question}
                  </PageLink>
                  <Muted>{t('inbox.asked', { count: asked })}</Muted>
                </Group>
              </List.Item>
            ))}
          </List>
        )}
        {groups.length > 0 && (
          <PageLink to="/inbox" className="self-start">
            {t('inbox.open')}
          </PageLink>
        )}
      </Stack>
    </Paper>
  );
}

function NoQuestions({ totals }: Pick<Analytics, 'totals'>) {
  const t = useTranslations('overview');
  if (totals.turns > 0) return <Text>{t(totals.unanswered > 0 ? 'onlyUnstored' : 'allAnswered')}</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text>{t('noneAsked')}</Text>
      <PageLink to="/preview">{t('tryGuide')}</PageLink>
    </Stack>
  );
}
