import { Stack, TagsInput, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Translation, TranslationContent } from '../../../sdk/types.ts';
import { AnswerField } from '../../editor/answer-field.tsx';
import type { Field } from '../../editor/conflict.tsx';

import { getDirection } from '../../languages.ts';

/** Translation content as form values. */
export type TranslationText = {
  readonly title: string;
  readonly answer: string;
  readonly searchAliases: readonly string[];
};

export const NO_TEXT: TranslationText = { title: '', answer: '', searchAliases: [] };

export const toTranslationText = ({
  title,
  answer,
  searchAliases,
}: Pick<Translation, 'title' | 'answer' | 'searchAliases'>): TranslationText => ({
  title,
  answer,
  searchAliases,
});

export const toTranslationContent = ({
  title,
  answer,
  searchAliases,
}: TranslationText): TranslationContent => ({
  title: title.trim(),
  answer,
  searchAliases: [...searchAliases],
});

export const isComplete = ({ title, answer }: TranslationText) => /\S/.test(title) && /\S/.test(answer);

export function useTranslationFields(): readonly Field<TranslationText>[] {
  const t = useTranslations('translations');
  return [
    { label: t('titleLabel'), getText: ({ title }) => title },
    { label: t('answerLabel'), getText: ({ answer }) => answer },
    { label: t('aliasesLabel'), getText: ({ searchAliases }) => searchAliases.join('\n') },
  ];
}

type TranslationFieldsProps = {
  readonly text: TranslationText;
  readonly change: (part: Partial<TranslationText>) => void;
  readonly locale: string;
  readonly readOnly?: boolean;
  readonly complain?: boolean;
};

export function TranslationFields({
  text,
  change,
  locale,
  readOnly = false,
  complain = true,
}: TranslationFieldsProps) {
  const t = useTranslations();
  const language = { lang: locale, dir: getDirection(locale) } as const;
  const missing = (value: string, words: string) => (complain && !/\S/.test(value) ? words : undefined);
  return (
    <Stack>
      <TextInput
        label={t('translations.titleLabel')}
        required
        readOnly={readOnly}
        value={text.title}
        onChange={({ currentTarget }) => change({ title: currentTarget.value })}
        error={missing(text.title, t('translations.needTitle'))}
        {...language}
      />
      <AnswerField
        label={t('translations.answerLabel')}
        value={text.answer}
        change={(answer) => change({ answer })}
        error={missing(text.answer, t('translations.needAnswer'))}
        locale={locale}
        readOnly={readOnly}
      />
      <TagsInput
        label={t('translations.aliasesLabel')}
        description={t('translations.aliasesHint')}
        readOnly={readOnly}
        value={[...text.searchAliases]}
        onChange={(searchAliases) => change({ searchAliases })}
        acceptValueOnBlur
        {...language}
      />
    </Stack>
  );
}
