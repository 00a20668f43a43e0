import { Alert, Button, Checkbox, Code, FileButton, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { suggestAnswerTests } from '../../../../generated/routes.ts';
import type { AnswerTestInput, AnswerTestSuggestion } from '../../../../generated/types.ts';
import { isGuideError } from '../../../sdk/errors.ts';
import { ANSWER_TESTS, putTests, removeTests } from '../../answer-tests.ts';
import { Loaded } from '../../components/loading.tsx';
import { Muted } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useTenantQuery, useWorkspace } from '../../session.ts';
import { type ReadTest, readTests, UnreadableTests } from './read-tests.ts';

type DialogProps = { close: () => void };

type AddOptions = { close: () => void; onError?: (error: unknown) => boolean };

/** More could not be deleted again within the rate limit. */
const UNDO_MAX = 100;

/** Adds all tests, or none. */
function useAddTests<Input>(
  toTests: (input: Input) => Promise<readonly (AnswerTestInput & Partial<ReadTest>)[]>,
  { close, onError = () => false }: AddOptions,
) {
  const t = useTranslations('answerTests');
  const { tenant } = useWorkspace();
  return useAction(
    async (input: Input) => {
      const tests = await toTests(input);
      try {
        return (
          await putTests(
            tenant,
            tests.map(({ line: _, ...test }) => test),
          )
        ).data;
      } catch (error) {
        throw toLineError(error, tests);
      }
    },
    {
      changes: [ANSWER_TESTS],
      done: (added) => t('added', { count: added.length }),
      undo: (added) => (added.length > UNDO_MAX ? undefined : () => removeTests(tenant, added)),
      onDone: close,
      onError,
    },
  );
}

/** The service names a test by its place in the request. */
function toLineError(error: unknown, tests: readonly Partial<ReadTest>[]): unknown {
  if (!isGuideError(error, 'request/invalid')) return error;
  const at = /^body\.tests\.(\d+)/.exec(error.issues?.[0]?.path ?? '')?.[1];
  const line = tests[Number(at)]?.line;
  return line === undefined ? error : new UnreadableTests(line);
}

const EXAMPLE = `question,locale,article
How do I return an order?,en,return-an-order
Verkaufen Sie U-Boote?,de,none`;

export function ImportTests({ close }: DialogProps) {
  const t = useTranslations('answerTests');
  const [badLine, setBadLine] = useState<number>();
  const add = useAddTests(async (file: File) => readTests(await file.text()), {
    close,
    onError(error) {
      if (!(error instanceof UnreadableTests)) return false;
      setBadLine(error.line);
      return true;
    },
  });
  return (
    <Modal opened onClose={close} title={t('importTitle')} size="lg">
      <Stack align="flex-start">
        <Text size="sm">{t('importLead')}</Text>
        <Code block w="100%" dir="ltr">
          {EXAMPLE}
        </Code>
        {badLine !== undefined && (
          <Alert color="red" role="alert" w="100%">
            {t('badLine', { line: badLine })}
          </Alert>
        )}
        <FileButton
          accept=".csv,.tsv,.jsonl,.ndjson"
          onChange={(file) => {
            setBadLine(undefined);
            if (file) add.mutate(file);
          }}
        >
          {(props) => (
            <Button {...props} loading={add.isPending} data-autofocus>
              {t('chooseFile')}
            </Button>
          )}
        </FileButton>
      </Stack>
    </Modal>
  );
}

export function SuggestedTests({ close }: DialogProps) {
  const t = useTranslations('answerTests');
  const suggestions = useTenantQuery(
    [ANSWER_TESTS, 'suggestions'],
    async (tenant, options) => (await tenant.call(suggestAnswerTests, { ...options })).data,
  );
  return (
    <Modal opened onClose={close} title={t('suggested')} size="lg">
      <Stack>
        <Muted>{t('suggestedLead')}</Muted>
        <Loaded query={suggestions} shape="table">
          {(data) =>
            data.length === 0 ? <Text>{t('noneSuggested')}</Text> : <Choices tests={data} close={close} />
          }
        </Loaded>
      </Stack>
    </Modal>
  );
}

const toKey = ({ locale, question }: AnswerTestSuggestion) => `${locale} ${question}`;

function Choices({ tests, close }: DialogProps & { tests: readonly AnswerTestSuggestion[] }) {
  const t = useTranslations('answerTests');
  const [chosen, setChosen] = useState(tests.map(toKey));
  const add = useAddTests(
    async (keys: readonly string[]) =>
      tests
        .filter((test) => keys.includes(toKey(test)))
        .map(({ question, locale, articleId: article }) => ({ question, locale, article })),
    { close },
  );
  return (
    <>
      <Checkbox.Group value={chosen} onChange={setChosen} aria-label={t('suggested')}>
        <Stack gap="xs" mah="50dvh" className="scrolling" tabIndex={0}>
          {tests.map((test) => (
            <Checkbox
              key={toKey(test)}
              value={toKey(test)}
              label={
                <span dir="auto" lang={test.locale} className="wrap">
                  {test.question}
                </span>
              }
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Button
        className="self-start"
        disabled={chosen.length === 0}
        loading={add.isPending}
        onClick={() => add.mutate(chosen)}
      >
        {t('addChosen', { count: chosen.length })}
      </Button>
    </>
  );
}
