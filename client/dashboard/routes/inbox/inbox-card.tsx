import { Anchor, Badge, Button, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { InboxAskAgain, InboxChange, InboxGroup, InboxQuestion } from '../../../sdk/types.ts';
import { Assignee } from '../../components/assignee.tsx';
import { MemberName, RelativeTime } from '../../components/attribution.tsx';
import { ActionMenu } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { useKeepTest } from '../../components/keep-test.tsx';
import { ArticleLink, ButtonLink, PageLink } from '../../components/links.tsx';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { Heading, Muted } from '../../components/page.tsx';
import { StatusBadge, VisitorRating } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageNames } from '../../languages.ts';
import { queries, useTenantQuery, useWorkspace } from '../../session.ts';
import { listDistinct } from './group-questions.tsx';

type GroupProps = { group: InboxGroup };

/** A line of the list: the question, how often and when it was asked. */
export function InboxItem({ group }: GroupProps) {
  const t = useTranslations('inbox');
  const [first] = listDistinct(group.questions);
  return (
    <>
      <Text span truncate fw={500} dir="auto" lang={first?.locale} display="block">
        {first?.question}
      </Text>
      <Muted span>
        {t('asked', { count: group.asked })} · <RelativeTime at={group.lastAskedAt} />
        {group.assigneeId && (
          <>
            {' · '}
            <MemberName id={group.assigneeId} />
          </>
        )}
      </Muted>
    </>
  );
}

/** A group of questions: the reasons it is listed, the nearest article, and the actions. */
export function InboxDetail({ group }: GroupProps) {
  const t = useTranslations('inbox');
  const { canEdit, tenantId } = useWorkspace();
  const [first, ...others] = listDistinct(group.questions);
  const result = getAskedAgain(tenantId, group.id);
  return (
    <Stack>
      {first && <Question question={first} isFirst />}
      <Kinds group={group} />
      <Facts group={group} />
      {canEdit && <Actions group={group} />}
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
    </Stack>
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

function Facts({ group }: GroupProps) {
  const t = useTranslations('inbox');
  const { canEdit } = useWorkspace();
  const { change } = useInboxActions();
  const { asked, lastAskedAt, assigneeId, resolution } = group;
  return (
    <Muted component="div">
      {t('asked', { count: asked })} · <RelativeTime at={lastAskedAt} />
      {(canEdit || assigneeId) && (
        <>
          {' · '}
          {t('assignedTo')}{' '}
          {canEdit ? (
            <Assignee
              assigneeId={assigneeId}
              assign={(id) => change.mutate({ group, change: { assigneeId: id } })}
            />
          ) : (
            <MemberName id={assigneeId ?? ''} />
          )}
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

/** The main action, and a menu with the others. */
function Actions({ group }: GroupProps) {
  const t = useTranslations('inbox');
  const more = useTranslations('articles')('more');
  const { change, askAgain } = useInboxActions();
  const [isLinking, setLinking] = useState(false);
  const [question] = group.questions;
  const keepTest = useKeepTest({
    question: question?.question ?? '',
    locale: question?.locale ?? '',
    articleId: group.articleId,
  });
  const changeState = (state: 'open' | 'resolved' | 'dismissed') =>
    change.mutate({ group, change: { state } });
  const isDone = group.state === 'resolved' || group.state === 'dismissed';
  // What follows an answer is to see that it works, and to keep it working.
  const isAnswered = !isDone && group.articleId !== undefined;
  return (
    <Group gap="xs">
      {isDone ? (
        <Button onClick={() => changeState('open')}>{t('reopen')}</Button>
      ) : isAnswered ? (
        <>
          <Button loading={askAgain.isPending} onClick={() => askAgain.mutate(group)}>
            {t('askAgain')}
          </Button>
          {keepTest && (
            <Button
              variant="default"
              leftSection={<Icon name={keepTest.icon} />}
              loading={keepTest.isPending}
              onClick={keepTest.run}
            >
              {keepTest.label}
            </Button>
          )}
        </>
      ) : (
        <ButtonLink to="/articles/new" search={{ inbox: group.id }}>
          {t('write')}
        </ButtonLink>
      )}
      <ActionMenu
        label={more}
        loading={askAgain.isPending}
        actions={[
          { label: t('link'), icon: 'link', run: () => setLinking(true) },
          !isAnswered && {
            label: t('askAgain'),
            icon: 'refresh',
            hotkey: 'R',
            run: () => askAgain.mutate(group),
          },
          !isAnswered && keepTest,
          !isDone && {
            label: t('resolve'),
            icon: 'circle-check',
            hotkey: 'E',
            run: () => changeState('resolved'),
          },
          !isDone && { label: t('dismiss'), icon: 'ban', hotkey: 'D', run: () => changeState('dismissed') },
        ]}
      />
      <Modal opened={isLinking} onClose={() => setLinking(false)} title={t('link')}>
        <ArticleSearch
          question={question}
          choose={(articleId) => {
            setLinking(false);
            change.mutate({ group, change: { articleId } });
          }}
        />
      </Modal>
    </Group>
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
