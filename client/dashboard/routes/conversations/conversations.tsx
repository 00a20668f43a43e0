import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Group,
  Paper,
  Stack,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type {
  Conversation,
  Feedback,
  FeedbackFilters,
  ConversationFilters as QueryFilters,
} from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { DayRange, parseDays, toTimeRange } from '../../components/day-range.tsx';
import { type Filters, LinkedFilter, useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageLink } from '../../components/links.tsx';
import { ListView } from '../../components/list-view.tsx';
import { EmptyState, Muted, Page } from '../../components/page.tsx';
import { AnsweredBadge, RatingBadge, VisitorRating } from '../../components/status-badge.tsx';
import { type Column, ListTable, LoadMore, useCursorList } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
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
  const locale = useLocale();
  const query = toQuery(useFilters().filters);
  const list = useCursorList(['conversations', 'list', query], (tenant) => tenant.conversations.list(query));
  const columns = useColumns();
  const any = { placeholder: t('any'), w: 150 };
  return (
    <ListView
      section="conversations"
      list={list}
      search={t('search')}
      filters={[
        {
          ...any,
          name: 'answered',
          label: t('answers'),
          data: [
            { value: 'yes', label: t('answered') },
            { value: 'no', label: t('unanswered') },
          ],
        },
        useRatingFilter(),
        { ...any, name: 'locale', label: t('language'), searchable: true, data: languageChoices(locale) },
      ]}
      moreFilters={
        <>
          <DayFilter />
          <CustomerFilter />
        </>
      }
      moreNames={['from', 'question', 'visitor']}
      notice={
        <>
          <QuestionFilter />
          <LinkedFilter name="visitor" text={t('visitorFilter')} clearLabel={t('clearVisitor')} />
        </>
      }
      kept={['view']}
      none={
        <EmptyState title={t('empty')} lead={t('emptyLead')}>
          <PageLink to="/installation">{t('install')}</PageLink>
        </EmptyState>
      }
      nothingFound={list.hasNextPage ? t('nothingSoFar') : undefined}
    >
      {() => <ListTable caption={t('caption')} minWidth={640} columns={columns} list={list} />}
    </ListView>
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

function useColumns(): readonly Column<Conversation>[] {
  const t = useTranslations('conversations');
  const format = useFormatter();
  const locale = useLocale();
  return useMemo(() => {
    const name = languageNames(locale);
    return [
      {
        label: t('first'),
        width: '28%',
        cell: ({ id, firstMessage }) => (
          <PageLink to={`/conversations/${id}`} dir="auto" fw={600} lineClamp={2} className="wrap">
            {firstMessage}
          </PageLink>
        ),
      },
      { label: t('answers'), width: 125, cell: ({ answered }) => <AnsweredBadge answered={answered} /> },
      { label: t('rating'), width: 125, cell: ({ rating }) => rating && <RatingBadge rating={rating} /> },
      { label: t('turns'), align: 'end', cell: ({ turns }) => format.number(turns) },
      { label: t('language'), cell: (row) => name(row.locale) },
      { label: t('last'), cell: ({ lastAt }) => <RelativeTime at={lastAt} /> },
    ];
  }, [t, format, locale]);
}

function DayFilter() {
  const t = useTranslations('shell.days');
  const { filters, change } = useFilters();
  return <DayRange label={t('label')} days={parseDays(filters)} choose={change} />;
}

/** Finds the conversations of a known customer. The data has a pseudonym only, so the service looks it up. */
function CustomerFilter() {
  const t = useTranslations('conversations');
  const { tenant, canEdit } = useWorkspace();
  const { change } = useFilters();
  const [sub, setSub] = useState('');
  const find = useAction((id: string) => tenant.customers.find({ sub: id }), {
    onDone: ({ visitorId }) => change({ visitor: visitorId }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sub !== '') find.mutate(sub);
  };
  if (!canEdit) return null;
  return (
    <form onSubmit={submit}>
      <TextInput
        label={t('customer')}
        dir="ltr"
        autoComplete="off"
        value={sub}
        onChange={({ currentTarget }) => setSub(currentTarget.value)}
        rightSection={
          <ActionIcon type="submit" variant="subtle" aria-label={t('findCustomer')} loading={find.isPending}>
            <Icon name="search" />
          </ActionIcon>
        }
      />
    </form>
  );
}

function useRatingFilter() {
  const t = useTranslations('conversations');
  const data = (['up', 'down'] as const).map((value) => ({ value, label: t(`ratings.${value}`) }));
  return { name: 'rating', label: t('rating'), placeholder: t('any'), data, w: 165 };
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
  const { filters, change } = useFilters();
  const query = toFeedbackQuery(filters);
  const list = useCursorList(['feedback', query], (tenant) => tenant.feedback(query));
  const commented = (
    <Checkbox
      label={t('onlyCommented')}
      checked={filters.commented === 'yes'}
      onChange={({ currentTarget }) => change({ commented: currentTarget.checked ? 'yes' : null })}
      mb={8}
    />
  );
  return (
    <ListView
      section="conversations"
      list={list}
      filters={[useRatingFilter()]}
      moreFilters={
        <>
          <DayFilter />
          {commented}
        </>
      }
      moreNames={['from', 'commented']}
      kept={['view']}
      none={
        <EmptyState title={t('noRating')} lead={t('noRatingLead')}>
          <LoadMore list={list} />
        </EmptyState>
      }
      nothingFound={t('nothingRated')}
    >
      {(rows) => (
        <>
          <Stack component="ul" className="plain-list" aria-label={t('feedback')}>
            {rows.map((row) => (
              <li key={row.messageId}>
                <FeedbackItem feedback={row} />
              </li>
            ))}
          </Stack>
          <LoadMore list={list} />
        </>
      )}
    </ListView>
  );
}

const toFeedbackQuery = ({ rating, commented, ...days }: Filters): FeedbackFilters => ({
  rating: toRating(rating),
  commented: commented === 'yes' || undefined,
  ...toTimeRange(parseDays(days)),
});

function FeedbackItem({ feedback }: { feedback: Feedback }) {
  const name = languageNames(useLocale());
  const { conversationId, question, answer, locale, at } = feedback;
  return (
    <Paper withBorder p="md" component="article">
      <Stack gap="xs">
        <VisitorRating {...feedback}>
          <Muted>
            <RelativeTime at={at} /> · {name(locale)}
          </Muted>
        </VisitorRating>
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
