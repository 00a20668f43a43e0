import { Button, Group, Paper, Select, Stack, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { NewArticle } from '../../../sdk/types.ts';
import { ButtonLink, useOpenPage } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { languageChoices } from '../../languages.ts';
import { queries, useTenantQuery, useWorkspace } from '../../session.ts';
import { GroupQuestions, toDraft, useInboxGroup } from '../inbox/group-questions.tsx';
import { ArticleFields, isComplete, NO_TEXT, toArticleContent } from './article-fields.tsx';

export default function NewArticlePage() {
  const t = useTranslations('articles');
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  // Prefilled from questions of the inbox.
  const { title = '', inbox } = useSearch({ strict: false });
  const group = useInboxGroup(inbox);
  return (
    <Page title={t('newTitle')} lead={t('newLead')} crumbs={[{ label: t('title'), to: '/articles' }]}>
      {group.data && <GroupQuestions group={group.data} />}
      {settings.data && !group.isLoading ? (
        <NewArticleForm
          sourceLocale={settings.data.sourceLocale}
          draft={group.data ? toDraft(group.data, settings.data.sourceLocale) : { title, aliases: [] }}
          groupId={group.data?.id}
        />
      ) : (
        <Loading />
      )}
    </Page>
  );
}

type NewArticleFormProps = {
  sourceLocale: string;
  draft: Pick<typeof NO_TEXT, 'title' | 'aliases'>;
  /** The group of questions that the article answers. */
  groupId: string | undefined;
};

function NewArticleForm({ sourceLocale, draft, groupId }: NewArticleFormProps) {
  const t = useTranslations();
  const [text, setText] = useState({ ...NO_TEXT, ...draft });
  const [locale, setLocale] = useState(sourceLocale);
  const [slug, setSlug] = useState('');
  const [slugTaken, setSlugTaken] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const create = useCreateArticle(setSlugTaken, groupId);
  function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    const slugField = slug.trim() && { slug: slug.trim() };
    if (isComplete(text)) create.mutate({ ...toArticleContent(text), locale, ...slugField });
  }
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
      <Stack>
        <Select
          label={t('articles.localeLabel')}
          searchable
          allowDeselect={false}
          value={locale}
          onChange={(chosen) => chosen && setLocale(chosen)}
          data={languageChoices(useLocale(), locale)}
          maw={320}
        />
        <ArticleFields
          text={text}
          change={(part) => setText((before) => ({ ...before, ...part }))}
          locale={locale}
          showErrors={submitted}
        />
        <TextInput
          label={t('articles.slugLabel')}
          description={t('articles.slugHint')}
          value={slug}
          onChange={({ currentTarget }) => {
            setSlug(currentTarget.value);
            setSlugTaken(false);
          }}
          error={slugTaken && t('articles.slugTaken')}
        />
        <Group>
          <Button type="submit" loading={create.isPending}>
            {t('articles.create')}
          </Button>
          <ButtonLink variant="default" to="/articles">
            {t('shell.cancel')}
          </ButtonLink>
        </Group>
      </Stack>
    </Paper>
  );
}

function useCreateArticle(setSlugTaken: (isTaken: boolean) => void, groupId: string | undefined) {
  const { tenant, tenantId } = useWorkspace();
  const open = useOpenPage();
  return useAction((article: NewArticle) => tenant.articles.create(article), {
    changes: ['articles'],
    onDone: async ({ id }) => {
      if (groupId) {
        await tenant.inbox.change(groupId, { articleId: id });
        await queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'inbox'] });
      }
      await open(`/articles/${id}`);
    },
    onError: (error) => {
      const isTaken = isGuideError(error, 'article/slug_taken');
      setSlugTaken(isTaken);
      return isTaken;
    },
  });
}
