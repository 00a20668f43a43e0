import { Alert, Blockquote, Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import type { Feedback, FeedbackFilters } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { DayRange } from '../../components/day-range.tsx';
import { parseDays, toTimeRange } from '../../components/days.ts';
import { TextLink } from '../../components/links.tsx';
import { LoadMore, useCursorList } from '../../components/list.tsx';
import { ErrorMessage, Loading } from '../../components/page.tsx';
import { RatingBadge } from '../../components/status-badge.tsx';
import { getDirection, languageNames } from '../../languages.ts';
import { type ConversationSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';
import { RatingSelect } from './conversation-filters.tsx';

export function FeedbackList() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const { filters, change } = useFilters<ConversationSearch>();
  const query = toFilters(filters);
  const list = useCursorList(['tenant', tenantId, 'feedback', query], tenant.feedback(query));
  const { rows } = list;
  const isFiltered = Object.keys(query).length > 0;
  return (
    <Stack>
      <Group role="search" align="flex-end" gap="sm">
        <RatingSelect />
        <DayRange label={t('shell.days.label')} days={parseDays(filters)} choose={change} />
        <Checkbox
          label={t('conversations.onlyCommented')}
          checked={filters.commented === 'yes'}
          onChange={({ currentTarget }) => change({ commented: currentTarget.checked ? 'yes' : null })}
          mb={8}
        />
      </Group>
      {list.isError ? (
        <ErrorMessage error={list.error} retry={list.refetch} />
      ) : list.isPending ? (
        <Loading />
      ) : rows.length > 0 ? (
        <>
          <Stack component="ul" className="plain-list" aria-label={t('conversations.feedback')}>
            {rows.map((row) => (
              <li key={row.messageId}>
                <FeedbackItem feedback={row} />
              </li>
            ))}
          </Stack>
          <LoadMore list={list} />
        </>
      ) : (
        <Alert
          color="gray"
          role="status"
          title={t(isFiltered ? 'conversations.nothingRated' : 'conversations.noRating')}
        >
          <Stack gap="xs" align="flex-start">
            <Text>{t(isFiltered ? 'conversations.nothingFoundLead' : 'conversations.noRatingLead')}</Text>
            <LoadMore list={list} />
            {isFiltered && (
              <Button
                variant="default"
                onClick={() => change({ rating: null, commented: null, from: null, to: null })}
              >
                {t('conversations.clear')}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}

function toFilters(search: ConversationSearch): FeedbackFilters {
  const { rating, commented } = search;
  return {
    ...((rating === 'up' || rating === 'down') && { rating }),
    ...(commented === 'yes' && { commented: true }),
    ...toTimeRange(parseDays(search)),
  };
}

function FeedbackItem({ feedback }: { readonly feedback: Feedback }) {
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  const { conversationId, rating, comment, question, answer, locale, at } = feedback;
  const written = { dir: getDirection(locale), lang: locale };
  return (
    <Paper withBorder p="md" component="article">
      <Stack gap="xs">
        <Group gap="sm">
          <RatingBadge rating={rating} />
          <Text size="sm" c="dimmed">
            <RelativeTime at={at} /> · {name(locale)}
          </Text>
        </Group>
        {comment && (
          <Blockquote p="sm" m={0} color={rating === 'up' ? 'green' : 'orange'} dir="auto" className="wrap">
            {comment}
          </Blockquote>
        )}
        <div>
          <TextLink
            to="/w/$tenantId/conversations/$conversationId"
            params={{ tenantId, conversationId }}
            fw={600}
            dir="auto"
            className="wrap"
          >
            {question}
          </TextLink>
          <Text size="sm" c="dimmed" lineClamp={3} className="wrap" {...written}>
            {answer}
          </Text>
        </div>
      </Stack>
    </Paper>
  );
}
