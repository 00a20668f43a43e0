import { Alert, Button, Checkbox, Group, Paper, Stack, Tabs, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type {
  Conversation,
  Feedback,
  FeedbackFilters,
  ConversationFilters as QueryFilters,
} from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { DayRange, parseDays, toTimeRange } from '../../components/day-range.tsx';
import {
  FilterBar,
  type Filters,
  LinkedFilter,
  SearchFilter,
  SelectFilter,
  useFilters,
} from '../../components/filters.tsx';
import { PageLink } from '../../components/links.tsx';
import { EmptyState, Muted, Page } from '../../components/page.tsx';
import { AnsweredBadge, RatingBadge, ReasonBadges, VisitorComment } from '../../components/status-badge.tsx';
import {
  type Column,
  List,
  ListTable,
  LoadMore,
  NothingFound,
  useCursorList,
} from '../../components/table.tsx';
import { getDirection, languageChoices, languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';

/** Conversations of visitors who consented to storage. */
export default function ConversationsPage() {
  const t = useTranslations('conversations');
  const { filters, change } = useFilters();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Tabs
        value={filters.view === 'feedback' ? 'feedback' : 'conversations'}
        onChange={(view) => change({ view: view === 'feedback' ? view : null })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="conversations">{t('title')}</Tabs.Tab>
          <Tabs.Tab value="feedback">{t('feedback')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="conversations">
          <ConversationList />
        </Tabs.Panel>
        <Tabs.Panel value="feedback">
          <FeedbackList />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function ConversationList() {
  const t = useTranslations('conversations');
  const { filters, clear } = useFilters();
  const query = toQuery(filters);
  const list = useCursorList(['conversations', 'list', query], (tenant) => tenant.conversations.list(query));
  const isFiltered = isAnySet(query);
  const empty = isFiltered ? (
    <NothingFound
      title={t(list.hasNextPage ? 'nothingSoFar' : 'nothingFound')}
      lead={t('nothingFoundLead')}
      list={list}
      clearLabel={t('clear')}
      clear={() => clear('view')}
    />
  ) : (
    <EmptyState title={t('empty')} lead={t('emptyLead')}>
      <PageLink to="/installation">{t('install')}</PageLink>
    </EmptyState>
  );
  const columns = useColumns();
  return (
    <Stack>
      {(isFiltered || list.rows.length > 0 || list.isError) && <ConversationFilters />}
      <ListTable
        caption={t('caption')}
        minWidth={920}
        columns={columns}
        list={list}
        getKey={({ id }) => id}
        empty={empty}
      />
    </Stack>
  );
}

const ANSWERED: Partial<Record<string, boolean>> = { yes: true, no: false };

/** Ignores invalid values in the URL. */
const toQuery = ({
  q,
  question,
  answered = '',
  rating,
  locale,
  visitor,
  ...days
}: Filters): QueryFilters => ({
  q,
  question,
  locale,
  visitorId: visitor,
  answered: ANSWERED[answered],
  rating: toRating(rating),
  ...toTimeRange(parseDays(days)),
});

const toRating = (rating: string | undefined) => (rating === 'up' || rating === 'down' ? rating : undefined);

const isAnySet = (query: object) => Object.values(query).some((value) => value !== undefined);

function useColumns(): readonly Column<Conversation>[] {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const locale = useLocale();
  return useMemo(() => {
    const name = languageNames(locale);
    return [
      {
        label: t('first'),
        cell: ({ id, firstMessage }) => (
          <PageLink to={`/conversations/${id}`} dir="auto" fw={600} lineClamp={2} className="wrap">
            {firstMessage}
          </PageLink>
        ),
      },
      { label: t('answers'), width: 160, cell: ({ answered }) => <AnsweredBadge answered={answered} /> },
      { label: t('rating'), width: 150, cell: ({ rating }) => rating && <RatingBadge rating={rating} /> },
      { label: t('turns'), width: 90, className: 'number', cell: ({ turns }) => format.number(turns) },
      { label: t('language'), width: 130, cell: (row) => name(row.locale) },
      { label: t('last'), width: 130, cell: ({ lastAt }) => <RelativeTime at={lastAt} /> },
    ];
  }, [t, format, locale]);
}

function ConversationFilters() {
  const t = useTranslations('conversations');
  const locale = useLocale();
  const { answered, rating, locale: language, from } = useFilters().filters;
  return (
    <Stack>
      <FilterBar
        search={<SearchFilter label={t('search')} />}
        count={[answered, rating, language, from].filter((each) => each !== undefined).length}
      >
        <SelectFilter
          name="answered"
          label={t('answers')}
          placeholder={t('any')}
          data={[
            { value: 'yes', label: t('answered') },
            { value: 'no', label: t('unanswered') },
          ]}
          w={150}
        />
        <RatingFilter />
        <SelectFilter
          name="locale"
          label={t('language')}
          placeholder={t('any')}
          searchable
          data={languageChoices(locale)}
          w={150}
        />
        <DayFilter />
      </FilterBar>
      <QuestionFilter />
      <LinkedFilter name="visitor" text={t('visitorFilter')} clearLabel={t('clearVisitor')} />
    </Stack>
  );
}

function DayFilter() {
  const t = useTranslations('shell.days');
  const { filters, change } = useFilters();
  return <DayRange label={t('label')} days={parseDays(filters)} choose={change} />;
}

function RatingFilter() {
  const t = useTranslations('conversations');
  const choices = (['up', 'down'] as const).map((value) => ({ value, label: t(`ratings.${value}`) }));
  return <SelectFilter name="rating" label={t('rating')} placeholder={t('any')} data={choices} w={165} />;
}

/** Shows the filter that is set when the user comes from an unanswered question. */
function QuestionFilter() {
  const t = useTranslations('conversations');
  const { canEdit } = useWorkspace();
  const { filters, change } = useFilters();
  const { question } = filters;
  if (!question) return null;
  return (
    <Alert color="blue" title={t('questionFilter')}>
      <Stack gap="xs" align="flex-start">
        <Text dir="auto" className="wrap" fw={600}>
          {question}
        </Text>
        <Group>
          {canEdit && (
            <PageLink to="/articles/new" search={{ title: question }}>
              {t('write')}
            </PageLink>
          )}
          <Button variant="default" onClick={() => change({ question: null })}>
            {t('clearQuestion')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function FeedbackList() {
  const t = useTranslations('conversations');
  const { filters, change, clear } = useFilters();
  const query = toFeedbackQuery(filters);
  const list = useCursorList(['feedback', query], (tenant) => tenant.feedback(query));
  const empty = isAnySet(query) ? (
    <NothingFound
      title={t('nothingRated')}
      lead={t('nothingFoundLead')}
      list={list}
      clearLabel={t('clear')}
      clear={() => clear('view')}
    />
  ) : (
    <EmptyState title={t('noRating')} lead={t('noRatingLead')}>
      <LoadMore list={list} />
    </EmptyState>
  );
  return (
    <Stack>
      <Group role="search" align="flex-end" gap="sm">
        <RatingFilter />
        <DayFilter />
        <Checkbox
          label={t('onlyCommented')}
          checked={filters.commented === 'yes'}
          onChange={({ currentTarget }) => change({ commented: currentTarget.checked ? 'yes' : null })}
          mb={8}
        />
      </Group>
      <List list={list} empty={empty}>
        {(rows) => (
          <Stack component="ul" className="plain-list" aria-label={t('feedback')}>
            {rows.map((row) => (
              <li key={row.messageId}>
                <FeedbackItem feedback={row} />
              </li>
            ))}
          </Stack>
        )}
      </List>
    </Stack>
  );
}

const toFeedbackQuery = ({ rating, commented, ...days }: Filters): FeedbackFilters => ({
  rating: toRating(rating),
  commented: commented === 'yes' || undefined,
  ...toTimeRange(parseDays(days)),
});

function FeedbackItem({ feedback }: { feedback: Feedback }) {
  const name = languageNames(useLocale());
  const { conversationId, rating, comment, reasons, question, answer, locale, at } = feedback;
  return (
    <Paper withBorder p="md" component="article">
      <Stack gap="xs">
        <Group gap="sm">
          <RatingBadge rating={rating} />
          <ReasonBadges reasons={reasons} />
          <Muted>
            <RelativeTime at={at} /> · {name(locale)}
          </Muted>
        </Group>
        <VisitorComment rating={rating} comment={comment} />
        <div>
          <PageLink to={`/conversations/${conversationId}`} fw={600} dir="auto" className="wrap">
            {question}
          </PageLink>
          <Muted lineClamp={3} className="wrap" dir={getDirection(locale)} lang={locale}>
            {answer}
          </Muted>
        </div>
      </Stack>
    </Paper>
  );
}
