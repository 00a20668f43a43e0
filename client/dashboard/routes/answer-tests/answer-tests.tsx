import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { deleteAnswerTest, listAnswerTests, runAnswerTests } from '../../../../generated/routes.ts';
import type { AnswerTest } from '../../../../generated/types.ts';
import { ANSWER_TESTS, useTestCounts } from '../../answer-tests.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { ActionMenu } from '../../components/buttons.tsx';
import { useFilters } from '../../components/filters.tsx';
import { Icon } from '../../components/icon.tsx';
import { ArticleLink } from '../../components/links.tsx';
import { ListView } from '../../components/list-view.tsx';
import { EmptyState, Page } from '../../components/page.tsx';
import { TestPassages } from '../../components/publish-check.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { type Column, ListTable, useCursorList } from '../../components/table.tsx';
import { useAction, useDeferredAction } from '../../components/use-action.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { ImportTests, SuggestedTests } from './add-tests.tsx';
import { TestForm } from './test-form.tsx';

type Dialog = 'import' | 'suggested' | { test?: AnswerTest };

export default function AnswerTestsPage() {
  const t = useTranslations('answerTests');
  const { canEdit } = useWorkspace();
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        canEdit && (
          <>
            <RunAll />
            <Button variant="default" onClick={() => setDialog('suggested')}>
              {t('suggested')}
            </Button>
            <Button variant="default" onClick={() => setDialog('import')}>
              {t('import')}
            </Button>
            <Button leftSection={<Icon name="plus" size={18} />} onClick={() => setDialog({})}>
              {t('add')}
            </Button>
          </>
        )
      }
    >
      <TestList edit={(test) => setDialog({ test })} />
      {dialog === 'import' && <ImportTests close={close} />}
      {dialog === 'suggested' && <SuggestedTests close={close} />}
      {typeof dialog === 'object' && <TestForm test={dialog.test} close={close} />}
    </Page>
  );
}

function RunAll() {
  const t = useTranslations('answerTests');
  const run = useRun();
  const { data } = useTestCounts();
  const isRunning = data !== undefined && data.waiting > 0;
  if (!data || data.passed + data.failed + data.waiting === 0) return null;
  return (
    <Button
      variant="default"
      leftSection={<Icon name="player-play" />}
      loading={run.isPending || isRunning}
      onClick={() => run.mutate(undefined)}
    >
      {t('runAll')}
    </Button>
  );
}

function useRun() {
  const { tenant } = useWorkspace();
  return useAction((testId: string | undefined) => tenant.call(runAnswerTests, { query: { testId } }), {
    changes: [ANSWER_TESTS],
  });
}

const STATES = ['failed', 'passed', 'waiting'] as const;
const COLORS = { failed: 'orange', passed: 'green', waiting: 'gray' } as const;

function TestList({ edit }: { edit: (test: AnswerTest) => void }) {
  const t = useTranslations('answerTests');
  const { filters } = useFilters();
  const state = STATES.find((each) => each === filters.state);
  const list = useCursorList([ANSWER_TESTS, 'list', { state }], (tenant) =>
    tenant.list(listAnswerTests, { query: { state } }),
  );
  const { data: counts } = useTestCounts();
  const { refetch } = list;
  const stateCounts = counts && Object.values(counts).join();
  // Results arrive while the counts change.
  useEffect(() => {
    if (stateCounts) void refetch();
  }, [stateCounts, refetch]);
  const columns = useColumns(edit);
  return (
    <ListView
      section="answerTests"
      list={list}
      filters={[
        {
          name: 'state',
          label: t('result'),
          placeholder: t('anyState'),
          data: STATES.map((value) => ({ value, label: t(`states.${value}`) })),
        },
      ]}
      head={
        counts && (
          <Text size="sm" role="status">
            {t('counts', counts)}
          </Text>
        )
      }
      none={<EmptyState title={t('empty')} lead={t('emptyLead')} />}
    >
      {() => <ListTable caption={t('title')} minWidth={700} columns={columns} list={list} />}
    </ListView>
  );
}

function useColumns(edit: (test: AnswerTest) => void): readonly Column<AnswerTest>[] {
  const t = useTranslations('answerTests');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the others are new at each render
  return useMemo(
    () => [
      {
        label: t('question'),
        width: '40%',
        className: 'whole',
        cell: (test) => (
          <Stack gap={2}>
            <Text size="sm" dir="auto" lang={test.locale} className="wrap">
              {test.question}
            </Text>
            {test.state === 'failed' && <TestPassages test={test} />}
          </Stack>
        ),
      },
      { label: t('language'), width: '14%', cell: ({ locale }) => name(locale) },
      {
        label: t('expected'),
        width: '20%',
        cell: ({ articleId }) => (articleId === undefined ? t('noAnswer') : <ArticleLink id={articleId} />),
      },
      {
        label: t('result'),
        width: '18%',
        cell: ({ state, ranAt }) => (
          <Stack gap={2} align="flex-start">
            <StatusBadge color={COLORS[state as keyof typeof COLORS] ?? 'gray'}>
              {t(`states.${state as keyof typeof COLORS}`)}
            </StatusBadge>
            {ranAt && <RelativeTime at={ranAt} />}
          </Stack>
        ),
      },
      ...(canEdit
        ? [
            {
              label: t('actions'),
              width: '8%',
              cell: (test: AnswerTest) => <Actions test={test} edit={edit} />,
            },
          ]
        : []),
    ],
    [t, canEdit],
  );
}

function Actions({ test, edit }: { test: AnswerTest; edit: (test: AnswerTest) => void }) {
  const t = useTranslations('answerTests');
  const { tenant } = useWorkspace();
  const run = useRun();
  const remove = useDeferredAction(
    (_, options) => tenant.call(deleteAnswerTest, { params: { testId: test.id }, ...options }),
    { ids: () => [test.id], changes: [ANSWER_TESTS], done: t('deleted') },
  );
  return (
    <ActionMenu
      label={t('actionsFor', { question: test.question })}
      actions={[
        { label: t('run'), icon: 'player-play', run: () => run.mutate(test.id) },
        { label: t('edit'), icon: 'pencil', run: () => edit(test) },
        { label: t('delete'), icon: 'trash', isDangerous: true, run: remove },
      ]}
    />
  );
}
