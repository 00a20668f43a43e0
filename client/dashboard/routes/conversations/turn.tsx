import { Alert, Blockquote, Group, List, Paper, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Transcript } from '../../../sdk/types.ts';
import { Citation } from '../../components/citation.tsx';
import { Mark } from '../../components/mark.tsx';
import { Moment } from '../../components/moment.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { RatingMark } from './marks.tsx';

type Turned = Transcript['turns'][number];

/** A question, its answer, what the answer stands on, and what the visitor thought of it. */
export function Turn({ turn }: { readonly turn: Turned }) {
  const t = useTranslations('conversations');
  const { message, askedAt, citations } = turn;
  return (
    <Stack component="article" gap="xs">
      <Paper p="md" bg="var(--mantine-primary-color-light)" className="asked">
        <VisuallyHidden>{t('visitorAsks')}</VisuallyHidden>
        <Text dir="auto" className="wrapped" fw={600}>
          {message}
        </Text>
        <Text size="xs">
          <Moment at={askedAt} exact />
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
          <Thought turn={turn} />
        </Stack>
      </Paper>
    </Stack>
  );
}

function Answer({ turn }: { readonly turn: Turned }) {
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
          <Markdown text={answer} {...(source && { locale: source.contentLocale })} />
        </div>
      )}
      <Ending turn={turn} />
      <Text size="xs" c="dimmed">
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
      </Text>
    </>
  );
}

/** Why an answer is not what the visitor hoped for; nothing where it is. */
function Ending({ turn: { state, finishReason, message } }: { readonly turn: Turned }) {
  const t = useTranslations('conversations');
  const { tenantId, mayChange } = useWorkspace();
  if (state !== 'complete') {
    return (
      <Group>
        <Mark color="gray">{t(`states.${state}`)}</Mark>
      </Group>
    );
  }
  if (finishReason === undefined || finishReason === 'stop') return null;
  return (
    <Alert color={finishReason === 'no_knowledge' ? 'orange' : 'gray'} title={t(`endings.${finishReason}`)}>
      {finishReason === 'no_knowledge' && mayChange && (
        <TextLink to="/w/$tenantId/articles/new" params={{ tenantId }} search={{ title: message }}>
          {t('write')}
        </TextLink>
      )}
    </Alert>
  );
}

function Source({ citation }: { readonly citation: Turned['citations'][number] }) {
  const t = useTranslations('conversations');
  const name = languageNames(useLocale());
  const { contentLocale, requestedLocale, fallbackReason, stale, revision } = citation;
  return (
    <Citation
      citation={citation}
      note={
        <Text component="span" size="xs" c="dimmed">
          {t('sourceIs', { language: name(contentLocale), revision })}
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

function Thought({ turn: { rating, comment } }: { readonly turn: Turned }) {
  const t = useTranslations('conversations');
  if (!rating) return null;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {t('thought')}
        </Text>
        <RatingMark rating={rating} />
      </Group>
      {comment && (
        <Blockquote p="sm" m={0} color={rating === 'up' ? 'green' : 'orange'} dir="auto" className="wrap">
          {comment}
        </Blockquote>
      )}
    </Stack>
  );
}
