import { Alert, Grid, Group, List, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Conversation, Transcript } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { Citation } from '../../components/citation.tsx';
import { KeepTestButton } from '../../components/keep-test.tsx';
import { PageLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Card, ErrorPage, Muted, Note, Page } from '../../components/page.tsx';
import { AnsweredBadge, RatingBadge, StatusBadge, VisitorRating } from '../../components/status-badge.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { languageNames } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';

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
  const { conversation, turns } = transcript.data;
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

function Turn({ turn }: { turn: TranscriptTurn }) {
  const t = useTranslations('conversations');
  const { message, askedAt, citations } = turn;
  return (
    <Stack component="article" gap="xs">
      <Paper p="md" bg="var(--mantine-primary-color-light)" className="visitor-question">
        <VisuallyHidden>{t('visitorAsks')}</VisuallyHidden>
        <Text dir="auto" className="wrapped" fw={600}>
          {message}
        </Text>
        <Text size="xs">
          <RelativeTime at={askedAt} exact />
        </Text>
      </Paper>
      <Paper withBorder p="md">
        <Stack>
          <Answer turn={turn} />
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
          <VisitorFeedback turn={turn} />
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

function Answer({ turn }: { turn: TranscriptTurn }) {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { answer, askedAt, finishedAt, requestedLocale, citations } = turn;
  const seconds = finishedAt && (Date.parse(finishedAt) - Date.parse(askedAt)) / 1000;
  const [source] = citations;
  return (
    <>
      <VisuallyHidden>{t('guideAnswers')}</VisuallyHidden>
      {answer && (
        <div className="keeps-lines">
          <Markdown text={answer} locale={source?.contentLocale} />
        </div>
      )}
      <AnswerOutcome turn={turn} />
      <Note>
        {t('askedIn', { language: name(requestedLocale) })}
        {seconds !== undefined &&
          ` · ${t('answeredIn', {
            time: format.number(Number(seconds), {
              style: 'unit',
              unit: 'second',
              unitDisplay: 'long',
              maximumFractionDigits: 1,
            }),
          })}`}
      </Note>
    </>
  );
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

function VisitorFeedback({ turn }: { turn: TranscriptTurn }) {
  const t = useTranslations('conversations');
  if (!turn.rating) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t('visitorFeedback')}
      </Text>
      <VisitorRating {...turn} />
    </Stack>
  );
}
