import { Grid, Group, Stack, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../../contract/limits/articles.ts';
import type { Article, Translation, TranslationContent } from '../../../sdk/types.ts';
import { Page } from '../../components/page.tsx';
import { AnswerField } from '../../editor/answer-field.tsx';
import type { Field } from '../../editor/conflict.tsx';
import { getDirection, languageNames } from '../../languages.ts';
import type { ParagraphLink } from './paragraphs.ts';

type FrameProps = {
  article: Article;
  locale: string;
  lead?: ReactNode;
  actions?: ReactNode;
  above?: ReactNode;
  source: ReactNode;
  below?: ReactNode;
  children: ReactNode;
};

/** Original and translation side by side, stacked on narrow screens. */
export function TranslationFrame({
  article,
  locale,
  lead,
  actions,
  above,
  source,
  below,
  children,
}: FrameProps) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  return (
    <Page
      title={t('titleOf', { title: article.title, language: name(locale) })}
      crumbs={[
        { label: t('articles'), to: '/articles' },
        { label: article.title, to: `/articles/${article.id}` },
      ]}
      lead={lead && <Group gap="sm">{lead}</Group>}
      actions={actions}
    >
      {above}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>{source}</Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>{children}</Grid.Col>
      </Grid>
      {below}
    </Page>
  );
}

/** Translation content as form values. */
export type TranslationText = {
  title: string;
  answer: string;
  searchAliases: readonly string[];
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
  text: TranslationText;
  change: (part: Partial<TranslationText>) => void;
  locale: string;
  readOnly?: boolean;
  showErrors?: boolean;
  link: ParagraphLink;
};

export function TranslationFields({
  text,
  change,
  locale,
  readOnly = false,
  showErrors = true,
  link,
}: TranslationFieldsProps) {
  const t = useTranslations();
  const language = { lang: locale, dir: getDirection(locale) } as const;
  const getMissingError = (value: string, words: string) =>
    showErrors && !/\S/.test(value) ? words : undefined;
  return (
    <Stack>
      <TextInput
        label={t('translations.titleLabel')}
        required
        maxLength={ARTICLE_LIMITS.titleCharsMax}
        readOnly={readOnly}
        value={text.title}
        onChange={({ currentTarget }) => change({ title: currentTarget.value })}
        error={getMissingError(text.title, t('translations.needTitle'))}
        {...language}
      />
      <AnswerField
        label={t('translations.answerLabel')}
        value={text.answer}
        change={(answer) => change({ answer })}
        error={getMissingError(text.answer, t('translations.needAnswer'))}
        locale={locale}
        readOnly={readOnly}
        onCursor={link.onCursor}
        onReady={link.onReady}
      />
      <TagsInput
        label={t('translations.aliasesLabel')}
        description={t('translations.aliasesHint')}
        readOnly={readOnly}
        maxTags={ARTICLE_LIMITS.aliasesMax}
        value={[...text.searchAliases]}
        onChange={(searchAliases) => change({ searchAliases })}
        acceptValueOnBlur
        {...language}
      />
    </Stack>
  );
}
