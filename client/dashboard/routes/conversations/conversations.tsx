import { Alert, Button, Stack, Table, Tabs, Text } from '@mantine/core';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Conversation, ConversationFilters as Filters } from '../../../sdk/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { parseDays, toTimeRange } from '../../components/days.ts';
import { TextLink } from '../../components/links.tsx';
import { LoadMore, useCursorList } from '../../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { AnsweredBadge, RatingBadge } from '../../components/status-badge.tsx';
import { languageNames } from '../../languages.ts';
import { type ConversationSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';
import { ConversationFilters } from './conversation-filters.tsx';
import { FeedbackList } from './feedback-list.tsx';

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
      {list.isError ? (
        <ErrorMessage error={list.error} retry={list.refetch} />
      ) : list.isPending ? (
        <Loading />
      ) : rows.length > 0 ? (
        <>
          <Conversations rows={rows} busy={list.isFetching} />
          <LoadMore list={list} />
        </>
      ) : isFiltered ? (
        <Alert color="gray" role="status" title={t(list.hasNextPage ? 'nothingSoFar' : 'nothingFound')}>
          <Stack gap="xs" align="flex-start">
            <Text>{t('nothingFoundLead')}</Text>
            <LoadMore list={list} />
            <Button variant="default" onClick={clear}>
              {t('clear')}
            </Button>
          </Stack>
        </Alert>
      ) : (
        <NoConversations />
      )}
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

function Conversations({ rows, busy }: { readonly rows: readonly Conversation[]; readonly busy: boolean }) {
  const t = useTranslations('conversations');
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table verticalSpacing="sm" highlightOnHover aria-busy={busy}>
        <caption className="unseen">{t('caption')}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('first')}</Table.Th>
            <Table.Th scope="col">{t('answers')}</Table.Th>
            <Table.Th scope="col">{t('rating')}</Table.Th>
            <Table.Th scope="col" ta="end">
              {t('turns')}
            </Table.Th>
            <Table.Th scope="col">{t('language')}</Table.Th>
            <Table.Th scope="col">{t('last')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Row key={row.id} conversation={row} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ conversation }: { readonly conversation: Conversation }) {
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  const { id, firstMessage, answered, rating, turns, locale, lastAt } = conversation;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} maw={420}>
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
      <Table.Td ta="end">{format.number(turns)}</Table.Td>
      <Table.Td>{name(locale)}</Table.Td>
      <Table.Td className="nowrap">
        <RelativeTime at={lastAt} />
      </Table.Td>
    </Table.Tr>
  );
}

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
