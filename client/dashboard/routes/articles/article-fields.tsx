import { Stack, TagsInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../../contract/limits/articles.ts';
import type { Article, ArticleContent } from '../../../sdk/types.ts';
import { AnswerField } from '../../editor/answer-field.tsx';
import type { Field } from '../../editor/conflict.tsx';
import { getDirection } from '../../languages.ts';

/** Article content as form values, without optional fields. */
export type ArticleText = {
  title: string;
  answer: string;
  aliases: readonly string[];
  url: string;
};

export const NO_TEXT: ArticleText = { title: '', answer: '', aliases: [], url: '' };

export function toArticleText({
  title,
  answer,
  aliases = [],
  url = '',
}: Pick<Article, 'title' | 'answer' | 'aliases' | 'url'>): ArticleText {
  return { title, answer, aliases, url };
}

/** Converts form values to the content of an article. Omits an empty URL. */
export function toArticleContent({ title, answer, aliases, url }: ArticleText): ArticleContent {
  const address = url.trim();
  return { title: title.trim(), answer, aliases: [...aliases], ...(address && { url: address }) };
}

const isHttpUrl = (url: string) =>
  url.trim() === '' || (/^https?:\/\/\S+$/i.test(url.trim()) && URL.canParse(url.trim()));

export const isComplete = ({ title, answer, url }: ArticleText) =>
  /\S/.test(title) && /\S/.test(answer) && isHttpUrl(url);

/** Labels and validation, for the form and for comparing versions. */
export function useArticleFields() {
  const t = useTranslations('articles');
  const fields: readonly Field<ArticleText>[] = [
    { label: t('titleLabel'), getText: ({ title }) => title },
    { label: t('answerLabel'), getText: ({ answer }) => answer },
    { label: t('aliasesLabel'), getText: ({ aliases }) => aliases.join('\n') },
    { label: t('urlLabel'), getText: ({ url }) => url },
  ];
  return {
    fields,
    validate: ({ title, answer, url }: ArticleText) => ({
      title: /\S/.test(title) ? undefined : t('needTitle'),
      answer: /\S/.test(answer) ? undefined : t('needAnswer'),
      url: isHttpUrl(url) ? undefined : t('needUrl'),
    }),
  };
}

type ArticleFieldsProps = {
  text: ArticleText;
  change: (part: Partial<ArticleText>) => void;
  locale: string;
  readOnly?: boolean;
  /** A new form shows errors only after the first submit. */
  showErrors?: boolean;
  /** Below the aliases. */
  aliasSuggestions?: ReactNode;
};

export function ArticleFields({
  text,
  change,
  locale,
  readOnly = false,
  showErrors = true,
  aliasSuggestions,
}: ArticleFieldsProps) {
  const t = useTranslations('articles');
  const { validate } = useArticleFields();
  const errors = showErrors ? validate(text) : undefined;
  const language = { lang: locale, dir: getDirection(locale) } as const;
  return (
    <Stack>
      <TextInput
        label={t('titleLabel')}
        description={t('titleHint')}
        required
        maxLength={ARTICLE_LIMITS.titleCharsMax}
        readOnly={readOnly}
        value={text.title}
        onChange={({ currentTarget }) => change({ title: currentTarget.value })}
        error={errors?.title}
        {...language}
      />
      <AnswerField
        label={t('answerLabel')}
        description={t('answerHint')}
        value={text.answer}
        change={(answer) => change({ answer })}
        error={errors?.answer}
        locale={locale}
        readOnly={readOnly}
      />
      <TagsInput
        label={t('aliasesLabel')}
        description={t('aliasesHint')}
        readOnly={readOnly}
        maxTags={ARTICLE_LIMITS.aliasesMax}
        value={[...text.aliases]}
        onChange={(aliases) => change({ aliases })}
        acceptValueOnBlur
        {...language}
      />
      {aliasSuggestions}
      <TextInput
        label={t('urlLabel')}
        description={t('urlHint')}
        type="url"
        readOnly={readOnly}
        value={text.url}
        onChange={({ currentTarget }) => change({ url: currentTarget.value })}
        error={errors?.url}
      />
    </Stack>
  );
}
