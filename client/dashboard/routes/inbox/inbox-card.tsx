import {
  Anchor,
  Badge,
  Button,
  Group,
  List,
  Menu,
  Modal,
  Paper,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { InboxAskAgain, InboxChange, InboxGroup, InboxQuestion } from '../../../sdk/types.ts';
import { MemberName, RelativeTime, useMembers } from '../../components/attribution.tsx';
import { KeepTestButton } from '../../components/keep-test.tsx';
import { ArticleLink, ButtonLink, PageLink } from '../../components/links.tsx';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { Heading, Muted } from '../../components/page.tsx';
import { StatusBadge, VisitorRating } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageNames } from '../../languages.ts';
import { queries, useTenantQuery, useWorkspace } from '../../session.ts';
import { listDistinct } from './group-questions.tsx';

type CardProps = { group: InboxGroup; onFocus: () => void };

/** A group of questions: the reasons it is listed, the nearest article, and the actions. */
export function InboxCard({ group, onFocus }: CardProps) {
  const t = useTranslations('inbox');
  const { canEdit, tenantId } = useWorkspace();
  const [first, ...others] = listDistinct(group.questions);
  const result = getAskedAgain(tenantId, group.id);
  return (
    <Paper
      withBorder
      p="lg"
      role="listitem"
      tabIndex={-1}
      data-group={group.id}
      className="inbox-group"
      onFocus={onFocus}
    >
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          {first && <Question question={first} isFirst />}
          <Kinds group={group} />
        </Group>
        <Facts group={group} />
        {others.length > 0 && (
          <List size="sm" listStyleType="none" spacing={4} aria-label={t('similar')}>
            {others.map((question) => (
              <List.Item key={question.messageId}>
                <Question question={question} />
              </List.Item>
            ))}
          </List>
        )}
        {group.questions.map((question) => (
          <VisitorRating key={question.messageId} {...question} />
        ))}
        <Answer group={group} />
        {result && <AskedAgain result={result} />}
        {canEdit && <Actions group={group} />}
      </Stack>
    </Paper>
  );
}

function Question({ question, isFirst = false }: { question: InboxQuestion; isFirst?: boolean }) {
  const name = languageNames(useLocale());
  const link = (
    <PageLink
      to={`/conversations/${question.conversationId}`}
      dir="auto"
      lang={question.locale}
      className="wrap"
      fz="inherit"
    >
      {question.question}
    </PageLink>
  );
  return (
    <Group gap="xs" flex={1} miw={200}>
      {isFirst ? <Heading>{link}</Heading> : link}
      <Badge variant="outline" color="gray" className="status-gray" tt="none" flex="none">
        {name(question.locale)}
      </Badge>
    </Group>
  );
}

function Kinds({ group: { counts } }: { group: InboxGroup }) {
  const t = useTranslations('inbox');
  const kinds = [
    { name: t('kinds.unanswered'), count: counts.unanswered, color: 'orange', icon: 'help-circle' },
    { name: t('kinds.rated_down'), count: counts.ratedDown, color: 'grape', icon: 'thumb-down' },
    { name: t('kinds.low_confidence'), count: counts.lowConfidence, color: 'blue', icon: 'help-circle' },
  ] as const;
  return (
    <Group gap={4}>
      {kinds
        .filter(({ count }) => count > 0)
        .map(({ name, count, color, icon }) => (
          <StatusBadge key={name} color={color} icon={icon}>
            {t('count', { name, count })}
          </StatusBadge>
        ))}
    </Group>
  );
}

function Facts({ group: { asked, lastAskedAt, assigneeId, resolution } }: { group: InboxGroup }) {
  const t = useTranslations('inbox');
  return (
    <Muted component="div">
      {t('asked', { count: asked })} · <RelativeTime at={lastAskedAt} />
      {assigneeId && (
        <>
          {' · '}
          {t('assignedTo')} <MemberName id={assigneeId} />
        </>
      )}
      {resolution && <div>{t('resolution', { before: resolution.before, after: resolution.after })}</div>}
    </Muted>
  );
}

/** The article that answers; otherwise the closest one. */
function Answer({ group }: { group: InboxGroup }) {
  const t = useTranslations('inbox');
  const { canEdit } = useWorkspace();
  const { change } = useInboxActions();
  const { articleId, nearestArticleId, askedAgain } = group;
  const shownId = articleId ?? nearestArticleId;
  const link = () => change.mutate({ group, change: { articleId: articleId ? null : shownId } });
  return (
    <Group gap="xs">
      {shownId && (
        <Text size="sm">
          {articleId ? t('answeredBy') : `${t('nearest')}:`} <ArticleLink id={shownId} />
        </Text>
      )}
      {shownId && canEdit && (
        <Button variant="subtle" size="compact-sm" mih={32} onClick={link}>
          {t(articleId ? 'unlink' : 'linkThis')}
        </Button>
      )}
      {askedAgain && <Muted>{t('result', { answered: askedAgain.answered, asked: askedAgain.asked })}</Muted>}
    </Group>
  );
}

function Actions({ group }: { group: InboxGroup }) {
  const t = useTranslations('inbox');
  const { change, askAgain } = useInboxActions();
  const changeState = (state: 'open' | 'resolved' | 'dismissed') =>
    change.mutate({ group, change: { state } });
  const [question] = group.questions;
  const isDone = group.state === 'resolved' || group.state === 'dismissed';
  return (
    <Group gap="xs">
      {!isDone && (
        <ButtonLink size="sm" to="/articles/new" search={{ inbox: group.id }}>
          {t('write')}
        </ButtonLink>
      )}
      <ArticleChooser
        question={question}
        choose={(articleId) => change.mutate({ group, change: { articleId } })}
      />
      <Button size="sm" variant="default" loading={askAgain.isPending} onClick={() => askAgain.mutate(group)}>
        {t('askAgain')}
      </Button>
      {question && <KeepTestButton {...question} articleId={group.articleId} />}
      <AssigneeMenu assign={(assigneeId) => change.mutate({ group, change: { assigneeId } })} />
      {isDone ? (
        <Button size="sm" variant="default" onClick={() => changeState('open')}>
          {t('reopen')}
        </Button>
      ) : (
        <>
          <Button size="sm" variant="default" onClick={() => changeState('resolved')}>
            {t('resolve')}
          </Button>
          <Button size="sm" variant="subtle" color="gray" onClick={() => changeState('dismissed')}>
            {t('dismiss')}
          </Button>
        </>
      )}
    </Group>
  );
}

function AssigneeMenu({ assign }: { assign: (memberId: string | null) => void }) {
  const t = useTranslations('inbox');
  const members = useMembers();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="sm" variant="default">
          {t('assign')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} className="scrolling">
        <Menu.Label>{t('assignTo')}</Menu.Label>
        <Menu.Item onClick={() => assign(null)}>{t('nobody')}</Menu.Item>
        {[...members.keys()].map((id) => (
          <Menu.Item key={id} onClick={() => assign(id)}>
            <MemberName id={id} />
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Compares the answers that visitors got with the current ones. */
function AskedAgain({ result: { results } }: { result: InboxAskAgain }) {
  const t = useTranslations('inbox');
  const format = useFormatter();
  const formatOutcome = ({ answered, confidence }: InboxAskAgain['results'][number]['after']) => {
    const state = t(answered ? 'answered' : 'unanswered');
    if (!answered || confidence === undefined) return state;
    return t('confidence', { state, value: format.number(confidence, { style: 'percent' }) });
  };
  return (
    <DataTable
      caption={t('changes')}
      minWidth={480}
      rows={results}
      getKey={({ messageId }) => messageId}
      columns={[
        {
          label: t('question'),
          cell: ({ question, locale }) => (
            <span dir="auto" lang={locale} className="wrap">
              {question}
            </span>
          ),
        },
        { label: t('before'), cell: ({ before }) => formatOutcome(before) },
        {
          label: t('after'),
          cell: ({ after }) => (
            <Group gap="xs">
              <StatusBadge color={after.answered ? 'green' : 'orange'}>{formatOutcome(after)}</StatusBadge>
              {after.articleId && <ArticleLink id={after.articleId} />}
            </Group>
          ),
        },
      ]}
    />
  );
}

type Changing = { group: InboxGroup; change: InboxChange };

/** Actions of members on a group of questions. */
export function useInboxActions() {
  const t = useTranslations('inbox');
  const { tenant, tenantId } = useWorkspace();
  const changes = ['inbox'];
  const change = useAction(({ group, change }: Changing) => tenant.inbox.change(group.id, change), {
    changes,
    done: () => t('saved'),
    undo:
      (_, { group, change }) =>
      () =>
        tenant.inbox.change(group.id, toUndo(group, change)),
  });
  const askAgain = useAction((group: InboxGroup) => tenant.inbox.askAgain(group.id), {
    changes,
    done: ({ results }) =>
      t('result', { asked: results.length, answered: results.filter(({ after }) => after.answered).length }),
    onDone: (reply, { id }) => void queries.setQueryData(toResultKey(tenantId, id), reply),
  });
  return { change, askAgain };
}

const toResultKey = (tenantId: string, groupId: string) => ['asked-again', tenantId, groupId];

/** Results of asking a group again on this page. */
const getAskedAgain = (tenantId: string, groupId: string) =>
  queries.getQueryData<InboxAskAgain>(toResultKey(tenantId, groupId));

function toUndo(group: InboxGroup, change: InboxChange): InboxChange {
  return {
    ...(change.state && { state: group.state === 'assigned' ? 'open' : group.state }),
    ...(change.assigneeId !== undefined && { assigneeId: group.assigneeId ?? null }),
    ...(change.articleId !== undefined && { articleId: group.articleId ?? null }),
  };
}

type ChooserProps = {
  /** The initial search text. */
  question: InboxQuestion | undefined;
  choose: (articleId: string) => void;
};

/** A button that opens a dialog to choose a published article. */
function ArticleChooser({ question, choose }: ChooserProps) {
  const t = useTranslations('inbox');
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button size="sm" variant="default" onClick={() => setOpened(true)}>
        {t('link')}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t('link')}>
        <ArticleSearch
          question={question}
          choose={(id) => {
            setOpened(false);
            choose(id);
          }}
        />
      </Modal>
    </>
  );
}

const WAIT_MILLIS = 250;
const ARTICLES_SHOWN = 8;

function ArticleSearch({ question, choose }: ChooserProps) {
  const t = useTranslations('inbox');
  const [text, setText] = useState(question?.question ?? '');
  const [searchText] = useDebouncedValue(text.trim(), WAIT_MILLIS);
  const search = useTenantQuery(
    ['search', searchText],
    (tenant, { signal }) =>
      tenant.search(searchText, {
        limit: ARTICLES_SHOWN,
        signal,
        locale: question?.locale,
      }),
    { enabled: searchText !== '', placeholderData: keepPreviousData },
  );
  const articles = search.data?.data ?? [];
  return (
    <Stack>
      <TextInput
        label={t('search')}
        description={t('linkLead')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        data-autofocus
      />
      {search.isError ? (
        <ErrorMessage error={search.error} retry={search.refetch} />
      ) : search.isLoading ? (
        <Loading />
      ) : articles.length === 0 ? (
        <Text role="status">{t('noArticles')}</Text>
      ) : (
        <Stack gap="xs" component="ul" className="plain-list">
          {articles.map(({ articleId, title, snippet }) => (
            <li key={articleId}>
              <Anchor
                component="button"
                type="button"
                dir="auto"
                ta="start"
                onClick={() => choose(articleId)}
              >
                {title}
              </Anchor>
              <Muted dir="auto" lineClamp={2}>
                {snippet}
              </Muted>
            </li>
          ))}
        </Stack>
      )}
    </Stack>
  );
}
