import { Modal, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { WORKSPACE_LIMITS } from '../../../../contract/limits/workspace.ts';
import type { AnswerTest } from '../../../../generated/types.ts';
import { ANSWER_TESTS, putTests } from '../../answer-tests.ts';
import { Form, trim, useFields } from '../../components/form.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageChoices } from '../../languages.ts';
import { useArticle, useTenantQuery, useWorkspace } from '../../session.ts';

/** Stands for no expected answer among the ids of articles. */
const NONE = 'none';

type TestFormProps = { test: AnswerTest | undefined; close: () => void };

/** Adds a test, or changes one. */
export function TestForm({ test, close }: TestFormProps) {
  const t = useTranslations('answerTests');
  const save = useTranslations('shell')('save');
  const { tenant } = useWorkspace();
  const uiLocale = useLocale();
  const submit = useAction(
    ({ question, locale, article }: FormValues) => {
      const expected = article === NONE ? null : article;
      return putTests(tenant, [
        { ...(test && { id: test.id }), question, locale: locale ?? '', article: expected },
      ]);
    },
    { changes: [ANSWER_TESTS], done: t('saved'), onDone: close, onError: () => true },
  );
  const state = useFields<FormValues>({
    section: 'answerTests',
    initialValues: {
      question: test?.question ?? '',
      locale: test?.locale ?? uiLocale,
      article: test ? (test.articleId ?? NONE) : null,
    },
    fields: [
      {
        name: 'question',
        as: TextInput,
        input: {
          maxLength: WORKSPACE_LIMITS.answerTestQuestionCharsMax,
          dir: 'auto',
          'data-autofocus': true,
        },
        path: 'tests.0.question',
        clean: trim,
        check: (text: string) => text === '' && t('needQuestion'),
      },
      {
        name: 'locale',
        as: Select,
        input: { searchable: true, allowDeselect: false, data: languageChoices(uiLocale, test?.locale) },
        path: 'tests.0.locale',
      },
      {
        name: 'article',
        as: ArticleSelect,
        path: 'tests.0.article',
        check: (id: string | null) => id === null && t('needArticle'),
      },
    ],
  });
  return (
    <Modal opened onClose={close} title={t(test ? 'editTitle' : 'add')}>
      <Form state={state} send={submit.mutateAsync} submitLabel={test ? save : t('add')} cancel={close} />
    </Modal>
  );
}

type FormValues = { question: string; locale: string | null; article: string | null };

const WAIT_MILLIS = 250;
const ARTICLES_SHOWN = 20;

type ArticleSelectProps = { value?: string | null };

/** Chooses an article by its title, or no answer. */
function ArticleSelect({ value, ...select }: ArticleSelectProps) {
  const t = useTranslations('answerTests');
  const [text, setText] = useState('');
  const [q] = useDebouncedValue(text.trim(), WAIT_MILLIS);
  const { data: chosen } = useArticle(value ?? '', { enabled: value != null && value !== NONE });
  const { data: found = [] } = useTenantQuery(
    ['articles', 'choices', q],
    async (tenant, options) =>
      (
        await tenant.articles
          .list({ limit: ARTICLES_SHOWN, ...(q === chosen?.title || q === t('noAnswer') ? {} : { q }) })
          .page(undefined, options)
      ).data,
    { placeholderData: keepPreviousData },
  );
  const articles = new Map([...(chosen ? [chosen] : []), ...found].map(({ id, title }) => [id, title]));
  return (
    <Select
      {...select}
      value={value ?? null}
      searchable
      allowDeselect={false}
      onSearchChange={setText}
      // The service has searched.
      filter={({ options }) => options}
      data={[
        { value: NONE, label: t('noAnswer') },
        ...[...articles].map(([id, label]) => ({ value: id, label })),
      ]}
    />
  );
}
