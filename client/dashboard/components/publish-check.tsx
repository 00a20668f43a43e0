import { Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useTranslations } from 'use-intl';
import type { AnswerTest, AnswerTestCheck } from '../../../generated/types.ts';
import { checkChange } from '../answer-tests.ts';
import { signedInAgain, useWorkspace } from '../session.ts';
import { Muted } from './page.tsx';

/** The user decided not to publish; nothing is to be said. */
export const CANCELLED = new Error('cancelled');

/**
 * Returns a function that checks what a change would break, and asks when it breaks an answer test, or cannot be checked. Rejects
 * with `CANCELLED` when the user decides against it.
 */
export function useBreakCheck() {
  const t = useTranslations('answerTests');
  const cancel = useTranslations('shell')('cancel');
  const { tenant } = useWorkspace();
  const read = async (change: AnswerTestCheck) => {
    try {
      return (await checkChange(tenant, change)).data;
    } catch (error) {
      if (await signedInAgain(error)) return (await checkChange(tenant, change)).data;
      return undefined;
    }
  };
  return async (change: AnswerTestCheck): Promise<void> => {
    const broken = await read(change);
    if (broken?.length === 0) return;
    const kind = change.unpublish ? 'unpublishAnyway' : 'publishAnyway';
    await new Promise<void>((resolve, reject) => {
      modals.openConfirmModal({
        size: 'lg',
        title: broken ? t('breaks', { count: broken.length }) : t('notChecked'),
        children: broken ? <BrokenTests tests={broken} /> : <Text>{t('notCheckedLead')}</Text>,
        labels: { confirm: t(kind), cancel },
        confirmProps: { color: 'red' },
        onConfirm: resolve,
        onClose: () => reject(CANCELLED),
      });
    });
  };
}

function BrokenTests({ tests }: { tests: readonly AnswerTest[] }) {
  const t = useTranslations('answerTests');
  return (
    <Stack component="ul" className="plain-list" aria-label={t('title')}>
      {tests.map((test) => (
        <Stack key={test.id} component="li" gap={4}>
          <Text fw={600} dir="auto" lang={test.locale} className="wrap">
            {test.question}
          </Text>
          <TestPassages test={test} />
        </Stack>
      ))}
    </Stack>
  );
}

/** Shows the passage that would be quoted first, and the one that is expected. */
export function TestPassages({ test: { articleId, quoted, expected } }: { test: AnswerTest }) {
  const t = useTranslations('answerTests');
  return (
    <>
      <Passage label={t('quotes')} passage={quoted} otherwise={t('nothing')} />
      <Passage
        label={t('expects')}
        passage={expected}
        otherwise={t(articleId === undefined ? 'noAnswer' : 'notPublished')}
      />
    </>
  );
}

type PassageProps = { label: string; passage: AnswerTest['quoted']; otherwise: string };

function Passage({ label, passage, otherwise }: PassageProps) {
  return (
    <Muted className="wrap">
      {label}{' '}
      {passage ? (
        <>
          <Text span inherit fw={600} dir="auto">
            {passage.title}
          </Text>{' '}
          <bdi>{passage.text}</bdi>
        </>
      ) : (
        otherwise
      )}
    </Muted>
  );
}
