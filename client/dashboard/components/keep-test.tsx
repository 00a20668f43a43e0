import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { WORKSPACE_LIMITS } from '../../../contract/limits/workspace.ts';
import { ANSWER_TESTS, putTests, removeTests } from '../answer-tests.ts';
import { useWorkspace } from '../session.ts';
import { Icon } from './icon.tsx';
import { useAction } from './use-action.tsx';

type KeepTestProps = {
  question: string;
  locale: string;
  /** The article that is expected; without it, no answer is. */
  articleId: string | undefined;
};

/** Returns what keeps a question as an answer test; undefined if the reader may not, or it is too long. */
export function useKeepTest({ question, locale, articleId }: KeepTestProps) {
  const t = useTranslations('answerTests');
  const { tenant, canEdit } = useWorkspace();
  const keep = useAction(() => putTests(tenant, [{ question, locale, article: articleId ?? null }]), {
    changes: [ANSWER_TESTS],
    done: t('kept'),
    undo:
      ({ data }) =>
      () =>
        removeTests(tenant, data),
  });
  if (!canEdit || question.length > WORKSPACE_LIMITS.answerTestQuestionCharsMax) return undefined;
  return {
    label: t(articleId === undefined ? 'keepNoAnswer' : 'keep'),
    icon: 'checklist' as const,
    isPending: keep.isPending,
    run: () => keep.mutate(),
  };
}

/** Keeps a question as an answer test with one click. */
export function KeepTestButton(test: KeepTestProps) {
  const keep = useKeepTest(test);
  if (!keep) return null;
  return (
    <Button
      size="sm"
      variant="default"
      leftSection={<Icon name={keep.icon} />}
      loading={keep.isPending}
      onClick={keep.run}
    >
      {keep.label}
    </Button>
  );
}
