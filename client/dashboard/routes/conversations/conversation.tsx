import { Grid, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Conversation } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { AnsweredMark, RatingMark } from './marks.tsx';
import { Turn } from './turn.tsx';

const RUNNING_POLL_MILLIS = 3000;

/** Everything that was said in a conversation. */
export function ConversationPage() {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const { tenant, tenantId } = useWorkspace();
  const { conversationId = '' } = useParams({ strict: false });
  const transcript = useQuery({
    queryKey: ['tenant', tenantId, 'conversations', 'one', conversationId],
    queryFn: ({ signal }) => tenant.conversations.read(conversationId, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.turns.some((turn) => turn.state === 'running') ? RUNNING_POLL_MILLIS : false,
  });
  const back = (
    <TextLink to="/w/$tenantId/conversations" params={{ tenantId }}>
      {t('back')}
    </TextLink>
  );
  if (transcript.isPending) return <Loading />;
  if (transcript.isError) {
    return (
      <Page title={t('one')} lead={back}>
        <Trouble error={transcript.error} retry={transcript.refetch} />
      </Page>
    );
  }
  const { conversation, turns } = transcript.data;
  const began = format.dateTime(new Date(conversation.startedAt), {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return (
    <Page title={t('oneOf', { moment: began })} lead={back}>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack component="ol" gap="xl" className="plain-list" aria-label={t('turns')}>
            {turns.map((turn) => (
              <li key={turn.messageId}>
                <Turn turn={turn} />
              </li>
            ))}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <About conversation={conversation} />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function About({ conversation }: { readonly conversation: Conversation }) {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  const { answered, rating, turns, locale, startedAt, lastAt, visitorId } = conversation;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('about')}
        </Title>
        <Stack component="dl" gap="sm" m={0}>
          <Fact label={t('answers')}>
            <AnsweredMark answered={answered} />
          </Fact>
          {rating && (
            <Fact label={t('rating')}>
              <RatingMark rating={rating} />
            </Fact>
          )}
          <Fact label={t('turns')}>{format.number(turns)}</Fact>
          <Fact label={t('language')}>{name(locale)}</Fact>
          <Fact label={t('started')}>
            <Moment at={startedAt} exact />
          </Fact>
          <Fact label={t('last')}>
            <Moment at={lastAt} exact />
          </Fact>
          <Fact label={t('visitor')}>
            <TextLink
              to="/w/$tenantId/conversations"
              params={{ tenantId }}
              search={{ visitor: visitorId }}
              size="sm"
            >
              {t('allOfVisitor')}
            </TextLink>
          </Fact>
        </Stack>
      </Stack>
    </Paper>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0}>
        {children}
      </Text>
    </div>
  );
}
