import {
  Alert,
  Blockquote,
  Button,
  Checkbox,
  Group,
  Paper,
  Select,
  Stack,
  Table,
  Tabs,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type {
  Conversation,
  Feedback,
  FeedbackFilters,
  ConversationFilters as Filters,
} from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { DayRange, parseDays, toTimeRange } from '../../components/day-range.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { TextLink } from '../../components/links.tsx';
import { LoadMore, type PagedList, useCursorList } from '../../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { asCardsWhenNarrow } from '../../components/region-table.tsx';
import { AnsweredBadge, RatingBadge, ReasonBadges } from '../../components/status-badge.tsx';
import { LongTable, type MoreRows, NothingFound, TableBlocks } from '../../components/table-blocks.tsx';
import { getDirection, languageChoices, languageNames } from '../../languages.ts';
import { type ConversationSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';

/** Conversations of visitors who consented to storage. */
export function ConversationsPage() {
  const t = useTranslations('conversations');
  const { filters, change } = useFilters<ConversationSearch>();
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
  const { tenant, tenantId } = useWorkspace();
  const { filters, change } = useFilters<ConversationSearch>();
  const query = toFilters(filters);
  const list = useCursorList(
    ['tenant', tenantId, 'conversations', 'list', query],
    tenant.conversations.list(query),
  );
  const { rows } = list;
  const clear = () =>
    change({
      q: null,
      question: null,
      answered: null,
      rating: null,
      locale: null,
      visitor: null,
      from: null,
      to: null,
    });
  const isFiltered = Object.keys(query).length > 0;
  return (
    <Stack>
      {(isFiltered || rows.length > 0 || list.isError) && <ConversationFilters />}
      <LongTable
        list={list}
        empty={
          isFiltered ? (
            <NothingFound
              title={t(list.hasNextPage ? 'nothingSoFar' : 'nothingFound')}
              lead={t('nothingFoundLead')}
              list={list}
              clearLabel={t('clear')}
              clear={clear}
            />
          ) : (
            <NoConversations />
          )
        }
      >
        {(more) => <Conversations rows={rows} busy={list.isFetching} more={more} />}
      </LongTable>
    </Stack>
  );
}

/** Ignores invalid values in the URL. */
function toFilters(search: ConversationSearch): Filters {
  const { q, question, answered, rating, locale, visitor } = search;
  return {
    ...(q && { q }),
    ...(question && { question }),
    ...(locale && { locale }),
    ...(visitor && { visitorId: visitor }),
    ...((answered === 'yes' || answered === 'no') && { answered: answered === 'yes' }),
    ...((rating === 'up' || rating === 'down') && { rating }),
    ...toTimeRange(parseDays(search)),
  };
}

type ConversationsProps = {
  rows: readonly Conversation[];
  busy: boolean;
  more: MoreRows;
};

const COLUMNS = [
  { name: 'first', width: undefined },
  { name: 'answers', width: 160 },
  { name: 'rating', width: 150 },
  { name: 'turns', width: 90 },
  { name: 'language', width: 130 },
  { name: 'last', width: 130 },
] as const;

function Conversations({ rows, busy, more }: ConversationsProps) {
  const t = useTranslations('conversations');
  return (
    <Table.ScrollContainer minWidth={920}>
      <Table
        layout="fixed"
        verticalSpacing="sm"
        highlightOnHover
        aria-busy={busy}
        aria-rowcount={more.count > 0 ? -1 : rows.length + 1}
        {...asCardsWhenNarrow(COLUMNS.map(({ name }) => t(name)))}
      >
        <caption className="unseen">{t('caption')}</caption>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            {COLUMNS.map(({ name, width }) => (
              <Table.Th key={name} scope="col" w={width} className={name === 'turns' ? 'number' : undefined}>
                {t(name)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <TableBlocks rows={rows} columns={COLUMNS.length} more={more}>
          {(row, rowIndex) => <Row key={row.id} conversation={row} rowIndex={rowIndex} />}
        </TableBlocks>
      </Table>
    </Table.ScrollContainer>
  );
}

type RowProps = { conversation: Conversation; rowIndex: number };

/** Memoized, so that loading older rows does not render this one. */
const Row = memo(function Row({ conversation, rowIndex }: RowProps) {
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  const { id, firstMessage, answered, rating, turns, locale, lastAt } = conversation;
  return (
    <Table.Tr aria-rowindex={rowIndex}>
      <Table.Th scope="row" fw={400}>
        <TextLink
          to="/w/$tenantId/conversations/$conversationId"
          params={{ tenantId, conversationId: id }}
          dir="auto"
          fw={600}
          lineClamp={2}
          className="wrap"
        >
          {firstMessage}
        </TextLink>
      </Table.Th>
      <Table.Td>
        <AnsweredBadge answered={answered} />
      </Table.Td>
      <Table.Td>{rating && <RatingBadge rating={rating} />}</Table.Td>
      <Table.Td className="number">{format.number(turns)}</Table.Td>
      <Table.Td>{name(locale)}</Table.Td>
      <Table.Td>
        <RelativeTime at={lastAt} />
      </Table.Td>
    </Table.Tr>
  );
});

function NoConversations() {
  const t = useTranslations('conversations');
  const { tenantId } = useWorkspace();
  return (
    <EmptyState title={t('empty')} lead={t('emptyLead')}>
      <TextLink to="/w/$tenantId/installation" params={{ tenantId }}>
        {t('install')}
      </TextLink>
    </EmptyState>
  );
}

const RATINGS = ['up', 'down'] as const;

function ConversationFilters() {
  const t = useTranslations();
  const locale = useLocale();
  const { filters, change } = useFilters<ConversationSearch>();
  const { answered, rating, locale: language, from } = filters;
  return (
    <Stack>
      <FilterBar
        search={
          <SearchField
            label={t('conversations.search')}
            value={filters.q ?? ''}
            search={(q) => change({ q })}
          />
        }
        count={[answered, rating, language, from].filter((each) => each !== undefined).length}
      >
        <Select
          label={t('conversations.answers')}
          placeholder={t('conversations.any')}
          clearable
          value={answered ?? null}
          onChange={(chosen) => change({ answered: chosen })}
          data={[
            { value: 'yes', label: t('conversations.answered') },
            { value: 'no', label: t('conversations.unanswered') },
          ]}
          w={150}
        />
        <RatingSelect />
        <Select
          label={t('conversations.language')}
          placeholder={t('conversations.any')}
          clearable
          searchable
          value={language ?? null}
          onChange={(chosen) => change({ locale: chosen })}
          data={languageChoices(locale)}
          w={150}
        />
        <DayRange label={t('shell.days.label')} days={parseDays(filters)} choose={change} />
      </FilterBar>
      <QuestionFilter />
      {filters.visitor && (
        <Alert color="gray">
          <Group justify="space-between">
            <Text>{t('conversations.visitorFilter')}</Text>
            <Button variant="default" onClick={() => change({ visitor: null })}>
              {t('conversations.clearVisitor')}
            </Button>
          </Group>
        </Alert>
      )}
    </Stack>
  );
}

function RatingSelect() {
  const t = useTranslations('conversations');
  const { filters, change } = useFilters<ConversationSearch>();
  return (
    <Select
      label={t('rating')}
      placeholder={t('any')}
      clearable
      value={filters.rating ?? null}
      onChange={(rating) => change({ rating })}
      data={RATINGS.map((value) => ({ value, label: t(`ratings.${value}`) }))}
      w={165}
    />
  );
}

/** Shows the filter that is set when the user comes from an unanswered question. */
function QuestionFilter() {
  const t = useTranslations('conversations');
  const { tenantId, canEdit } = useWorkspace();
  const { filters, change } = useFilters<ConversationSearch>();
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
            <TextLink to="/w/$tenantId/articles/new" params={{ tenantId }} search={{ title: question }}>
              {t('write')}
            </TextLink>
          )}
          <Button variant="default" onClick={() => change({ question: null })}>
            {t('clearQuestion')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

type SearchFieldProps = {
  label: string;
  value: string;
  search: (words: string) => void;
};

/** Searches once typing pauses. */
function SearchField({ label, value, search }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [searched, setSearched] = useState(value);
  // The value was changed from outside, for example by clearing the filters.
  if (value !== searched) {
    setSearched(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const searchSoon = useDebouncedCallback((words: string) => {
    setSearched(words);
    search(words);
  }, 300);
  return (
    <TextInput
      label={label}
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        searchSoon(currentTarget.value.trim());
      }}
      className="grow"
    />
  );
}

function FeedbackList() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const { filters, change } = useFilters<ConversationSearch>();
  const query = toFeedbackFilters(filters);
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
        <Loading shape="table" />
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
        <NoFeedback list={list} isFiltered={isFiltered} />
      )}
    </Stack>
  );
}

type NoFeedbackProps = {
  list: PagedList;
  isFiltered: boolean;
};

function NoFeedback({ list, isFiltered }: NoFeedbackProps) {
  const t = useTranslations('conversations');
  const { change } = useFilters<ConversationSearch>();
  return isFiltered ? (
    <NothingFound
      title={t('nothingRated')}
      lead={t('nothingFoundLead')}
      list={list}
      clearLabel={t('clear')}
      clear={() => change({ rating: null, commented: null, from: null, to: null })}
    />
  ) : (
    <EmptyState title={t('noRating')} lead={t('noRatingLead')}>
      <LoadMore list={list} />
    </EmptyState>
  );
}

function toFeedbackFilters(search: ConversationSearch): FeedbackFilters {
  const { rating, commented } = search;
  return {
    ...((rating === 'up' || rating === 'down') && { rating }),
    ...(commented === 'yes' && { commented: true }),
    ...toTimeRange(parseDays(search)),
  };
}

function FeedbackItem({ feedback }: { feedback: Feedback }) {
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  const { conversationId, rating, comment, reasons, question, answer, locale, at } = feedback;
  const answerLanguage = { dir: getDirection(locale), lang: locale };
  return (
    <Paper withBorder p="md" component="article">
      <Stack gap="xs">
        <Group gap="sm">
          <RatingBadge rating={rating} />
          <ReasonBadges reasons={reasons} />
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
          <Text size="sm" c="dimmed" lineClamp={3} className="wrap" {...answerLanguage}>
            {answer}
          </Text>
        </div>
      </Stack>
    </Paper>
  );
}
