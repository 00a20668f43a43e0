import { Alert, Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ReviewQueueFilters, ReviewTask } from '../../sdk/types.ts';
import { ANSWER_TESTS } from '../answer-tests.ts';
import { MemberName, RelativeTime } from '../components/attribution.tsx';
import { ActionMenu } from '../components/buttons.tsx';
import { ButtonLink, PageLink, useOpenPage } from '../components/links.tsx';
import { ListDetail } from '../components/list-detail.tsx';
import { Loaded } from '../components/loading.tsx';
import { Card, EmptyState, Heading, Muted, Page } from '../components/page.tsx';
import { CANCELLED, useBreakCheck } from '../components/publish-check.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { DataTable, LoadMore, useCursorList } from '../components/table.tsx';
import { useAction } from '../components/use-action.tsx';
import { Markdown } from '../editor/markdown.tsx';
import { languageNames } from '../languages.ts';
import { useCoverage, useTenantQuery, useWorkspace } from '../session.ts';
import { PERCENT_OF_MIN } from './analytics/metrics.ts';
import { useConfirmRight } from './articles/verify.tsx';
import { VerifyDetail, VerifyItem, type VerifyTask } from './verify-task.tsx';

const KINDS = ['review', 'changes', 'publish', 'stale', 'verify'] as const;
type Kind = (typeof KINDS)[number];
type Task = ReviewTask | VerifyTask;

type Whose = 'me' | 'everybody';

export default function ReviewQueuePage() {
  const t = useTranslations('reviewQueue');
  const [whose, setWhose] = useState<Whose>('me');
  const [kind, setKind] = useState<Kind | 'all'>('all');
  const { translations, list, rows, counts } = useTasks(whose, kind);
  const kindLabel = (value: Kind) => {
    const name = t(`kinds.${value}`);
    return counts ? t('count', { name, count: counts[value] }) : name;
  };
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Group>
        <SegmentedControl
          aria-label={t('whose')}
          value={whose}
          onChange={(value) => setWhose(value as Whose)}
          data={[
            { value: 'me', label: t('mine') },
            { value: 'everybody', label: t('everyone') },
          ]}
        />
        <SegmentedControl
          aria-label={t('kind')}
          className="wrapping"
          value={kind}
          onChange={(value) => setKind(value as typeof kind)}
          data={[
            { value: 'all', label: t('all') },
            ...KINDS.map((value) => ({ value, label: kindLabel(value) })),
          ]}
        />
      </Group>
      <Loaded query={translations} shape="table">
        {() =>
          rows.length === 0 ? (
            <NoTasks whose={whose} showEveryone={() => setWhose('everybody')} />
          ) : (
            <Tasks rows={rows}>
              <LoadMore list={list} />
            </Tasks>
          )
        }
      </Loaded>
      <LanguageProgress />
    </Page>
  );
}

/** Reads translations with a task, then articles to verify, which are the task of every owner and admin. */
function useTasks(whose: Whose, kind: Kind | 'all') {
  const { canEdit } = useWorkspace();
  const filters: ReviewQueueFilters = {
    for: whose,
    kind: kind === 'all' || kind === 'verify' ? undefined : kind,
  };
  const translations = useCursorList(['review-queue', filters], (tenant) =>
    tenant.translations.reviewQueue(filters),
  );
  const articles = useCursorList(['articles', 'to-verify'], (tenant) =>
    tenant.articles.list({ toVerify: true }),
  );
  const isShown = canEdit || whose === 'everybody';
  const verify = isShown ? articles.rows.map((article): VerifyTask => ({ kind: 'verify', article })) : [];
  const counts = translations.data?.pages[0]?.counts;
  const rows: readonly Task[] = [
    ...(kind === 'verify' ? [] : translations.rows),
    ...(kind === 'verify' || kind === 'all' ? verify : []),
  ];
  return {
    translations,
    list: kind === 'verify' ? articles : translations,
    rows,
    counts: counts && { ...counts, verify: isShown ? (articles.data?.pages[0]?.total ?? 0) : 0 },
  };
}

type NoTasksProps = { whose: Whose; showEveryone: () => void };

function NoTasks({ whose, showEveryone }: NoTasksProps) {
  const t = useTranslations('reviewQueue');
  return (
    <div role="status">
      <EmptyState title={t('empty')} lead={t(whose === 'me' ? 'emptyMine' : 'emptyAll')}>
        {whose === 'me' ? (
          <Button variant="default" onClick={showEveryone}>
            {t('showEveryone')}
          </Button>
        ) : (
          <PageLink to="/articles">{t('toArticles')}</PageLink>
        )}
      </EmptyState>
    </div>
  );
}

const toKey = (task: Task) => `${task.kind}-${task.kind === 'verify' ? task.article.id : task.translationId}`;
const toPath = (task: Task) =>
  task.kind === 'verify'
    ? `/articles/${task.article.id}`
    : `/articles/${task.articleId}/translations/${task.locale}`;

function Tasks({ rows, children }: { rows: readonly Task[]; children: ReactNode }) {
  const t = useTranslations('reviewQueue');
  const open = useOpenPage();
  const { canEdit } = useWorkspace();
  const { decide } = useDecision();
  const confirm = useConfirmRight();
  const decideOn = (task: Task) => {
    if (task.kind === 'verify') confirm.mutate(task.article);
    else if (canDecide(task)) decide.mutate(task);
  };
  return (
    <ListDetail
      label={t('caption')}
      rows={rows}
      getKey={toKey}
      item={(task) => (task.kind === 'verify' ? <VerifyItem task={task} /> : <TaskItem task={task} />)}
      detail={(task) =>
        task.kind === 'verify' ? (
          <VerifyDetail key={toKey(task)} task={task} />
        ) : (
          <TaskDetail key={toKey(task)} task={task} />
        )
      }
      keys={[
        { key: 'e', label: t('openIt'), run: (task) => void open(toPath(task)) },
        ...(canEdit ? [{ key: 'a', label: t('decide'), run: decideOn }] : []),
      ]}
    >
      {children}
    </ListDetail>
  );
}

/** Texts to review or publish take one click; others are to be written. */
const canDecide = ({ kind, mine }: ReviewTask) => mine && (kind === 'review' || kind === 'publish');

/** Approves or publishes the revision that is shown, as its task asks. */
function useDecision() {
  const t = useTranslations('translations');
  const { tenant } = useWorkspace();
  const confirmBroken = useBreakCheck();
  const decide = useAction(
    async ({ kind, articleId, locale, translationId: id, revision }: ReviewTask) => {
      const seen = { articleId, id, revision };
      if (kind === 'review') return tenant.translations.review(seen, 'approve');
      await confirmBroken({ articleId, locale });
      return tenant.translations.publish(seen);
    },
    {
      changes: ['articles', 'review-queue', ANSWER_TESTS],
      done: ({ status }) => t(status === 'approved' ? 'approved' : 'published'),
      onError: (error) => error === CANCELLED,
    },
  );
  return { decide };
}

type TaskProps = { task: ReviewTask };

function TaskItem({ task: { kind, articleTitle, locale, since } }: TaskProps) {
  const t = useTranslations('reviewQueue');
  const name = languageNames(useLocale());
  return (
    <>
      <Text span truncate fw={500} dir="auto" display="block">
        {articleTitle}
      </Text>
      <Muted span>
        {t(`kinds.${kind}`)} · {name(locale)} · <RelativeTime at={since} />
      </Muted>
    </>
  );
}

/** The text, with the main action: to approve or publish it, or else to write. */
function TaskDetail({ task }: TaskProps) {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  const open = useOpenPage();
  const { decide } = useDecision();
  const { kind, articleId, articleTitle, translationId, locale, title, by, since, reviewNote } = task;
  const translation = useTenantQuery(
    ['articles', articleId, 'translation', translationId],
    (tenant, options) => tenant.translations.read(articleId, translationId, options),
  );
  const isDecidable = canEdit && canDecide(task);
  return (
    <Stack>
      <Group gap="xs">
        <Heading dir="auto" lang={locale}>
          {title}
        </Heading>
        <StatusBadge color="gray">{name(locale)}</StatusBadge>
      </Group>
      <Muted component="div">
        {t(`reviewQueue.kinds.${kind}`)} · {t('reviewQueue.by')} <MemberName id={by} /> ·{' '}
        <RelativeTime at={since} />
      </Muted>
      <Group gap="xs">
        {isDecidable ? (
          <Button loading={decide.isPending} onClick={() => decide.mutate(task)}>
            {t(kind === 'review' ? 'translations.approve' : 'translations.publish')}
          </Button>
        ) : (
          <ButtonLink to={toPath(task)}>{t('reviewQueue.open')}</ButtonLink>
        )}
        <ActionMenu
          label={t('articles.more')}
          actions={[
            isDecidable && {
              label: t('reviewQueue.open'),
              icon: 'pencil',
              hotkey: 'E',
              run: () => void open(toPath(task)),
            },
            {
              label: t('reviewQueue.openArticle', { title: articleTitle }),
              icon: 'file-text',
              run: () => void open(`/articles/${articleId}`),
            },
          ]}
        />
      </Group>
      {reviewNote && (
        <Alert color="orange">
          <Text dir="auto" className="wrap">
            {reviewNote}
          </Text>
        </Alert>
      )}
      <Loaded query={translation}>{({ answer }) => <Markdown text={answer} locale={locale} />}</Loaded>
    </Stack>
  );
}

/** Translation progress for each language. */
function LanguageProgress() {
  const t = useTranslations('reviewQueue.progress');
  const name = languageNames(useLocale());
  const { data } = useCoverage();
  if (!data || data.locales.length < 2) return null;
  const toShare = (live: number) => live / Math.max(1, data.published);
  return (
    <Card title={t('title')} isRegion wide>
      <DataTable
        caption={t('title')}
        minWidth={560}
        rows={data.locales}
        getKey={({ locale }) => locale}
        columns={[
          {
            label: t('language'),
            cell: ({ locale, live }) => (
              <>
                {name(locale)}
                <Progress value={toShare(live) * 100} size="sm" mt={4} aria-hidden />
              </>
            ),
          },
          {
            label: t('live'),
            cell: ({ live }) => (
              <>
                {live}{' '}
                {data.published >= PERCENT_OF_MIN && (
                  <Muted component="span">{t('share', { share: toShare(live) })}</Muted>
                )}
              </>
            ),
          },
          { label: t('stale'), cell: ({ stale }) => stale },
          { label: t('inReview'), cell: ({ inReview, approved }) => inReview + approved },
          { label: t('draft'), cell: ({ draft, changesRequested }) => draft + changesRequested },
          { label: t('missing'), cell: ({ missing }) => missing },
        ]}
      />
    </Card>
  );
}
