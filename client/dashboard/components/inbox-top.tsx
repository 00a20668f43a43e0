import { Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { useInboxTop, useWorkspace } from '../session.ts';
import { TextLink } from './links.tsx';
import { ErrorMessage, Loading } from './page.tsx';

/** The questions that would help most when answered, each with a link to its group in the inbox. */
export function InboxTop({ totals }: Pick<Analytics, 'totals'>) {
  const t = useTranslations();
  const { tenantId } = useWorkspace();
  const top = useInboxTop();
  const groups = top.data?.data ?? [];
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Stack gap={2}>
          <Title order={2} size="h4">
            {t('inbox.top')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('inbox.topLead')}
          </Text>
        </Stack>
        {top.isPending && <Loading />}
        {top.isError && <ErrorMessage error={top.error} retry={top.refetch} />}
        {top.data && groups.length === 0 && <NoQuestions totals={totals} />}
        {groups.length > 0 && (
          <List listStyleType="none" spacing="xs">
            {groups.map(({ id, asked, questions: [first] }) => (
              <List.Item key={id}>
                <Group gap="xs">
                  <TextLink
                    to="/w/$tenantId/inbox"
                    params={{ tenantId }}
                    hash={id}
                    dir="auto"
                    lang={first?.locale}
                    className="wrap"
                  >
                    {first?.question}
                  </TextLink>
                  <Text size="sm" c="dimmed">
                    {t('inbox.asked', { count: asked })}
                  </Text>
                </Group>
              </List.Item>
            ))}
          </List>
        )}
        {groups.length > 0 && (
          <TextLink to="/w/$tenantId/inbox" params={{ tenantId }} className="self-start">
            {t('inbox.open')}
          </TextLink>
        )}
      </Stack>
    </Paper>
  );
}

function NoQuestions({ totals }: Pick<Analytics, 'totals'>) {
  const t = useTranslations('overview');
  const { tenantId } = useWorkspace();
  if (totals.turns > 0) return <Text>{t(totals.unanswered > 0 ? 'onlyUnstored' : 'allAnswered')}</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text>{t('noneAsked')}</Text>
      <TextLink to="/w/$tenantId/preview" params={{ tenantId }}>
        {t('tryGuide')}
      </TextLink>
    </Stack>
  );
}
