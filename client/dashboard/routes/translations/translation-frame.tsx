import { Anchor, Grid, Group, Paper, Stack, Tabs, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { Article, ArticleRevision, Translation, TranslationContent } from '../../../sdk/types.ts';
import { ErrorMessage, Loading, Page } from '../../components/page.tsx';
import { AnswerField } from '../../editor/answer-field.tsx';
import { type Field, TextDiff } from '../../editor/conflict.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { getDirection, languageNames } from '../../languages.ts';
import { useTenantQuery, useWorkspace } from '../../session.ts';

type FrameProps = {
  readonly article: Article;
  readonly locale: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly above?: ReactNode;
  readonly source: ReactNode;
  readonly below?: ReactNode;
  readonly children: ReactNode;
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
  const { tenantId } = useWorkspace();
  return (
    <Page
      title={t('titleOf', { title: article.title, language: name(locale) })}
      lead={
        <Group gap="sm">
          <Anchor component={Link} to={`/w/${tenantId}/articles/${article.id}`} size="sm">
            {t('back')}
          </Anchor>
          {lead}
        </Group>
      }
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

/** Cached forever, because revisions are immutable. */
function useSourceRevision(articleId: string, revision: number | undefined) {
  return useTenantQuery(
    ['articles', articleId, 'revision', revision],
    (tenant, options) => tenant.articles.revision(articleId, revision ?? 0, options),
    {
      enabled: revision !== undefined,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
}

type SourceProps = {
  readonly article: Article;
  /** The revision to translate. */
  readonly current: number;
  /** The revision that the translation is based on. */
  readonly madeFor?: number | undefined;
};

/** The original, and its changes since the translation. */
export function Source({ article, current, madeFor }: SourceProps) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  const now = useSourceRevision(article.id, current);
  const changed = madeFor !== undefined && madeFor !== current;
  const then = useSourceRevision(article.id, changed ? madeFor : undefined);
  const error = now.error ?? then.error;
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="source">
      <Stack>
        <Stack gap={2}>
          <Title order={2} size="h4" id="source">
            {t('source', { language: name(article.locale) })}
          </Title>
          <Text size="sm" c="dimmed">
            {t('sourceRevision', { revision: current })}
          </Text>
        </Stack>
        {error && <ErrorMessage error={error} />}
        {!now.data ? (
          <Loading />
        ) : then.data ? (
          <Tabs key={`${madeFor} ${current}`} defaultValue="changes">
            <Tabs.List>
              <Tabs.Tab value="changes">{t('sourceChanges')}</Tabs.Tab>
              <Tabs.Tab value="text">{t('sourceText')}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="changes" pt="sm">
              <Changes before={then.data} after={now.data} locale={article.locale} />
            </Tabs.Panel>
            <Tabs.Panel value="text" pt="sm">
              <Original text={now.data} locale={article.locale} />
            </Tabs.Panel>
          </Tabs>
        ) : (
          <Original text={now.data} locale={article.locale} />
        )}
      </Stack>
    </Paper>
  );
}

function Original({ text, locale }: { readonly text: ArticleRevision; readonly locale: string }) {
  const t = useTranslations('translations');
  return (
    <Stack lang={locale} dir={getDirection(locale)}>
      <Text fw={600}>{text.title}</Text>
      <Markdown text={text.answer} locale={locale} />
      {text.aliases.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('aliasesLabel')}: {text.aliases.join(', ')}
        </Text>
      )}
    </Stack>
  );
}

function Changes({
  before,
  after,
  locale,
}: {
  readonly before: ArticleRevision;
  readonly after: ArticleRevision;
  readonly locale: string;
}) {
  const t = useTranslations('translations');
  const parts = [
    [t('titleLabel'), before.title, after.title],
    [t('answerLabel'), before.answer, after.answer],
    [t('aliasesLabel'), before.aliases.join(', '), after.aliases.join(', ')],
  ] as const;
  const differing = parts.filter(([, one, other]) => one !== other);
  if (differing.length === 0) return <Text>{t('sourceSame')}</Text>;
  return (
    <Stack>
      {differing.map(([label, one, other]) => (
        <Stack gap={4} key={label}>
          <Text size="sm" fw={600}>
            {label}
          </Text>
          <TextDiff before={one} after={other} lang={locale} />
        </Stack>
      ))}
    </Stack>
  );
}

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
