import { Alert, Grid, Group, List, Paper, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { addConversationNote, deleteConversationNote } from '../../../../generated/routes.ts';
import type { Conversation, Transcript } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { Citation } from '../../components/citation.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { KeepTestButton } from '../../components/keep-test.tsx';
import { PageLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Notes } from '../../components/notes.tsx';
import { Card, ErrorPage, Muted, Page } from '../../components/page.tsx';
import { AnsweredBadge, RatingBadge, StatusBadge, VisitorRating } from '../../components/status-badge.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { LISTED, languageNames } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { useMetricFormat } from '../analytics/metrics.ts';

const RUNNING_POLL_MILLIS = 3000;

export default function ConversationPage() {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const { conversationId = '' } = useParams({ strict: false });
  const transcript = useTenantQuery(
    ['conversations', 'one', conversationId],
    (tenant, options) => tenant.conversations.read(conversationId, options),
    {
      refetchInterval: ({ state }) =>
        state.data?.turns.some((turn) => turn.state === 'running') ? RUNNING_POLL_MILLIS : false,
    },
  );
  const crumbs = [{ label: t('title'), to: '/conversations' }];
  if (transcript.isPending) return <Loading shape="page" />;
  if (transcript.isError)
    return (
      <ErrorPage title={t('single')} crumbs={crumbs} error={transcript.error} retry={transcript.refetch} />
    );
  const { conversation, turns, notes } = transcript.data;
  const startedAtText = format.dateTime(new Date(conversation.startedAt), {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return (
    <Page title={t('titleOf', { moment: startedAtText })} crumbs={crumbs}>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack component="ol" gap="xl" className="plain-list" aria-label={t('turns')}>
            {turns.map((turn) => (
              <li key={turn.messageId}>
                <Turn turn={turn} startedAt={conversation.startedAt} />
              </li>
            ))}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <About conversation={conversation} />
            <ConversationNotes conversationId={conversation.id} notes={notes} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

type NotesProps = { conversationId: string; notes: Transcript['notes'] };

function ConversationNotes({ conversationId, notes }: NotesProps) {
  const t = useTranslations('conversations');
  const { tenant } = useWorkspace();
  return (
    <Notes
      lead={t('notesLead')}
      notes={notes}
      add={(text) => tenant.call(addConversationNote, { params: { conversationId }, body: { text } })}
      remove={(noteId) => tenant.call(deleteConversationNote, { params: { conversationId, noteId } })}
      changes={['conversations']}
    />
  );
}

function About({ conversation }: { conversation: Conversation }) {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { answered, rating, turns, locale, startedAt, lastAt, visitorId } = conversation;
  const facts = [
    { label: t('answers'), value: <AnsweredBadge answered={answered} /> },
    { label: t('rating'), value: rating && <RatingBadge rating={rating} /> },
    { label: t('turns'), value: format.number(turns) },
    { label: t('language'), value: name(locale) },
    { label: t('started'), value: <RelativeTime at={startedAt} exact /> },
    { label: t('last'), value: <RelativeTime at={lastAt} exact /> },
    {
      label: t('visitor'),
      value: (
        <PageLink to="/conversations" search={{ visitor: visitorId }} size="sm">
          {t('allOfVisitor')}
        </PageLink>
      ),
    },
  ].filter(({ value }) => value !== undefined);
  return (
    <Card title={t('details')} wide>
      <Stack component="dl" gap="sm" m={0}>
        {facts.map(({ label, value }) => (
          <div key={label}>
            <Muted component="dt">{label}</Muted>
            <Text component="dd" m={0}>
              {value}
            </Text>
          </div>
        ))}
      </Stack>
    </Card>
  );
}

type TranscriptTurn = Transcript['turns'][number];

function Turn({ turn, startedAt }: { turn: TranscriptTurn; startedAt: string }) {
  const t = useTranslations('conversations');
  const { message, answer, askedAt, citations } = turn;
  return (
    <Stack component="article" gap="xs">
      <Paper p="md" bg="var(--mantine-primary-color-light)" className="visitor-question">
        <Speaker icon="user" name={t('visitor')}>
          <TimeOfDay at={askedAt} startedAt={startedAt} />
        </Speaker>
        <Text dir="auto" className="wrapped">
          {message}
        </Text>
      </Paper>
      <Paper withBorder p="md">
        <Stack>
          <div>
            <Speaker icon="directions" name={t('guide')}>
              {useAnswerNote(turn)}
            </Speaker>
            {answer && (
              <div className="keeps-lines">
                <Markdown text={answer} locale={citations[0]?.contentLocale} />
              </div>
            )}
          </div>
          <AnswerOutcome turn={turn} />
          {turn.rating && (
            <Stack gap="xs" role="group" aria-label={t('visitorFeedback')}>
              <VisitorRating {...turn} />
            </Stack>
          )}
          {citations.length > 0 && (
            <Stack gap={4}>
              <Text fw={600} size="sm">
                {t('sources')}
              </Text>
              <List type="ordered" size="sm" spacing="xs">
                {citations.map((citation) => (
                  <List.Item key={`${citation.articleId}:${citation.contentLocale}:${citation.quote}`}>
                    <Source citation={citation} />
                  </List.Item>
                ))}
              </List>
            </Stack>
          )}
          {turn.state === 'complete' && (
            <Group>
              <KeepTestButton
                question={message}
                locale={turn.requestedLocale}
                articleId={citations[0]?.articleId}
              />
            </Group>
          )}
        </Stack>
      </Paper>
    </Stack>
  );
}

type SpeakerProps = { icon: IconName; name: string; children: ReactNode };

/** Names the author of a message. */
function Speaker({ icon, name, children }: SpeakerProps) {
  return (
    <Group gap={6} mb={4}>
      <Icon name={icon} />
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Muted>{children}</Muted>
    </Group>
  );
}

/** The time of day, with the date if it is not the day on which the conversation started. */
function TimeOfDay({ at, startedAt }: { at: string; startedAt: string }) {
  const format = useFormatter();
  const date = new Date(at);
  const isSameDay = date.toDateString() === new Date(startedAt).toDateString();
  return (
    <time dateTime={at} title={format.dateTime(date, { dateStyle: 'medium', timeStyle: 'medium' })}>
      {format.dateTime(date, { ...(!isSameDay && { dateStyle: 'medium' }), timeStyle: 'short' })}
    </time>
  );
}

/** Returns the language of an answer, and how long it took. */
function useAnswerNote({ askedAt, finishedAt, requestedLocale }: TranscriptTurn): string {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const { millis } = useMetricFormat();
  const name = languageNames(useLocale());
  const took = finishedAt ? Date.parse(finishedAt) - Date.parse(askedAt) : 0;
  const parts = [t('askedIn', { language: name(requestedLocale) })];
  // The clock may have been set back meanwhile.
  if (took > 0) parts.push(t('answeredIn', { time: millis(took) }));
  return format.list(parts, LISTED);
}

/** Explains an incomplete or missing answer. */
function AnswerOutcome({ turn: { state, finishReason, message } }: { turn: TranscriptTurn }) {
  const t = useTranslations('conversations');
  const { canEdit } = useWorkspace();
  if (state !== 'complete') {
    return (
      <Group>
        <StatusBadge color="gray">{t(`states.${state}`)}</StatusBadge>
      </Group>
    );
  }
  if (finishReason === undefined || finishReason === 'stop') return null;
  return (
    <Alert color={finishReason === 'no_knowledge' ? 'orange' : 'gray'} title={t(`outcomes.${finishReason}`)}>
      {finishReason === 'no_knowledge' && canEdit && (
        <PageLink to="/articles/new" search={{ title: message }}>
          {t('write')}
        </PageLink>
      )}
    </Alert>
  );
}

function Source({ citation }: { citation: TranscriptTurn['citations'][number] }) {
  const t = useTranslations('conversations');
  const name = languageNames(useLocale());
  const { contentLocale, requestedLocale, fallbackReason, stale, revision } = citation;
  return (
    <Citation
      citation={citation}
      note={
        <Text component="span" size="xs" c="dimmed">
          {t('sourceInfo', { language: name(contentLocale), revision })}
        </Text>
      }
    >
      {fallbackReason && (
        <Text size="sm">{t(`fallback.${fallbackReason}`, { requested: name(requestedLocale) })}</Text>
      )}
      {stale && <Text size="sm">{t('outdated')}</Text>}
    </Citation>
  );
}
