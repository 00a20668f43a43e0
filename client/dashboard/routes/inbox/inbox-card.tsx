import { Badge, Button, Group, List, Menu, Paper, Stack, Text } from '@mantine/core';
import { IconHelpCircle, IconThumbDown } from '@tabler/icons-react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { InboxAskAgain, InboxGroup, InboxQuestion } from '../../../sdk/types.ts';
import { MemberName, RelativeTime, useMembers } from '../../components/attribution.tsx';
import { ArticleLink, ButtonLink, PageLink } from '../../components/links.tsx';
import { ReasonBadges, StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { Heading, Muted } from '../../components/text.ts';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { ArticleChooser } from './article-chooser.tsx';
import { listDistinct } from './group-questions.tsx';
import { getAskedAgain, useInboxActions } from './inbox-actions.ts';

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
        <Comments questions={group.questions} />
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
    { name: t('kinds.unanswered'), count: counts.unanswered, color: 'orange', icon: IconHelpCircle },
    { name: t('kinds.rated_down'), count: counts.ratedDown, color: 'grape', icon: IconThumbDown },
    { name: t('kinds.low_confidence'), count: counts.lowConfidence, color: 'blue', icon: IconHelpCircle },
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

function Comments({ questions }: { questions: readonly InboxQuestion[] }) {
  const t = useTranslations('inbox');
  return questions
    .filter(({ comment, reasons }) => comment || reasons)
    .map(({ messageId, comment, reasons }) => (
      <Group key={messageId} gap="xs" ps="sm" className="inbox-comment">
        <ReasonBadges reasons={reasons} />
        {comment && (
          <Text size="sm" component="blockquote" m={0}>
            <span className="unseen">{t('comment')}: </span>
            <span dir="auto">{comment}</span>
          </Text>
        )}
      </Group>
    ));
}

/** The article that answers; otherwise the closest one. */
function Answer({ group }: { group: InboxGroup }) {
  const t = useTranslations('inbox');
  const { canEdit } = useWorkspace();
  const { change } = useInboxActions();
  const { articleId, nearestArticleId, askedAgain } = group;
  const link = (targetId: string | null) => change.mutate({ group, change: { articleId: targetId } });
  return (
    <Group gap="xs">
      {articleId ? (
        <>
          <Text size="sm">
            {t('answeredBy')} <ArticleLink id={articleId} />
          </Text>
          {canEdit && (
            <Button variant="subtle" size="compact-sm" mih={32} onClick={() => link(null)}>
              {t('unlink')}
            </Button>
          )}
        </>
      ) : (
        nearestArticleId && (
          <>
            <Text size="sm">
              {t('nearest')}: <ArticleLink id={nearestArticleId} />
            </Text>
            {canEdit && (
              <Button variant="subtle" size="compact-sm" mih={32} onClick={() => link(nearestArticleId)}>
                {t('linkThis')}
              </Button>
            )}
          </>
        )
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
  const isDone = group.state === 'resolved' || group.state === 'dismissed';
  return (
    <Group gap="xs">
      {!isDone && (
        <ButtonLink size="sm" to="/articles/new" search={{ inbox: group.id }}>
          {t('write')}
        </ButtonLink>
      )}
      <ArticleChooser
        question={group.questions[0]}
        choose={(articleId) => change.mutate({ group, change: { articleId } })}
      />
      <Button size="sm" variant="default" loading={askAgain.isPending} onClick={() => askAgain.mutate(group)}>
        {t('askAgain')}
      </Button>
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
      verticalSpacing="xs"
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
