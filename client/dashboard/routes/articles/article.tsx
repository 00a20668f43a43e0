import { Anchor, Button, CloseButton, Grid, Group, Paper, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { AliasSuggestion, Article } from '../../../sdk/types.ts';
import { ANSWER_TESTS } from '../../answer-tests.ts';
import { ActionMenu, CopyText, ReasonButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { ButtonLink, PageLink, useOpenPage } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Card, ErrorPage, Note, Page } from '../../components/page.tsx';
import { CANCELLED, useBreakCheck } from '../../components/publish-check.tsx';
import { useSchedule } from '../../components/schedule.tsx';
import {
  ArticleStatus,
  getTranslationState,
  ScheduleBadge,
  TranslationBadge,
} from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { useAction, useConfirm, useDeferredAction, usePendingIds } from '../../components/use-action.tsx';
import { Conflict } from '../../editor/conflict.tsx';
import { deleteDraft, needsDecision } from '../../editor/draft.ts';
import { SavingStatus, Shortcuts, useTypingKeys } from '../../editor/toolbar.tsx';
import { useWorkingCopy, type WorkingCopy } from '../../editor/working-copy.ts';
import { getDirection, languageChoices, languageNames } from '../../languages.ts';
import { useArticle, useTenantQuery, useWorkspace } from '../../session.ts';
import {
  ArticleFields,
  type ArticleText,
  isComplete,
  toArticleContent,
  toArticleText,
  useArticleFields,
} from './article-fields.tsx';
import { CollectionAndTags, useArticleFacets } from './collections.tsx';
import { VerifyCard } from './verify.tsx';

export default function ArticlePage() {
  const t = useTranslations('articles');
  const { articleId = '' } = useParams({ strict: false });
  const article = useArticle(articleId, {
    // The editor has its own copy; a change from elsewhere shows as a conflict on save.
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  if (article.isPending) return <Loading shape="page" />;
  if (article.isError) return <ErrorPage title={t('title')} error={article.error} retry={article.refetch} />;
  return <ArticleEditor key={articleId} article={article.data} />;
}

function ArticleEditor({ article }: { article: Article }) {
  const t = useTranslations('articles');
  const { canEdit } = useWorkspace();
  const { fields } = useArticleFields();
  const copy = useArticleCopy(article);
  const actions = useArticleActions(copy);
  useTypingKeys([
    ['mod+S', () => void copy.saveNow()],
    ['mod+Enter', () => actions.canPublish && actions.publish.mutate()],
  ]);
  const { record } = copy;
  return (
    <Page
      title={copy.content.title || t('title')}
      crumbs={[{ label: t('title'), to: '/articles' }]}
      lead={
        <Group gap="sm">
          <ArticleStatus article={{ status: record.status, changed: record.live?.changed ?? false }} />
          {record.source && <ArticleOrigin {...record.source} />}
          {canEdit && <SavingStatus copy={copy} />}
          {record.live?.pageUrl && <PublicPage url={record.live.pageUrl} />}
        </Group>
      }
      actions={
        <>
          <Shortcuts />
          <ArticleActions record={record} actions={actions} />
        </>
      }
    >
      <Conflict copy={copy} getContent={toArticleText} fields={fields} locale={record.locale} />
      {actions.schedule.element}
      <ArticleTextCard copy={copy} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <ArticleTranslations article={record} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="lg">
            <CollectionAndTags article={article} />
            <VerifyCard article={article} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** Its page in the help centre. */
function PublicPage({ url }: { url: string }) {
  const t = useTranslations('articles');
  return (
    <Group gap={4}>
      <Anchor href={url} target="_blank" size="sm">
        {t('publicPage')}
      </Anchor>
      <CopyText text={url} size="compact-xs" variant="subtle" />
    </Group>
  );
}

function ArticleTextCard({ copy: { record, content, change } }: { copy: ArticleCopy }) {
  const { canEdit } = useWorkspace();
  return (
    <Paper withBorder p="lg">
      <ArticleFields
        text={content}
        change={change}
        locale={record.locale}
        readOnly={!canEdit}
        aliasSuggestions={
          canEdit && (
            <AliasSuggestions
              article={record}
              aliases={content.aliases}
              accept={(alias) => change({ aliases: [...content.aliases, alias] })}
            />
          )
        }
      />
    </Paper>
  );
}

/** The source that the article comes from, and its place there. */
function ArticleOrigin({ sourceId, place }: NonNullable<Article['source']>) {
  const t = useTranslations('articles');
  const { sources } = useArticleFacets();
  const name = sources.find(({ id }) => id === sourceId)?.name ?? '…';
  return (
    <Text size="sm" component="span" className="wrap">
      {t.rich('comesFrom', {
        source: () => (
          <PageLink to={`/sources/${sourceId}`} fz="inherit">
            {name}
          </PageLink>
        ),
      })}{' '}
      <span dir="ltr" translate="no">
        {place}
      </span>
    </Text>
  );
}

type ArticleCopy = WorkingCopy<ArticleText, Article>;

function useArticleCopy(article: Article): ArticleCopy {
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  return useWorkingCopy({
    key: article.id,
    record: article,
    getContent: toArticleText,
    isComplete,
    save: (base, text) => tenant.articles.edit(base, toArticleContent(text)),
    read: () => tenant.articles.read(article.id),
    onSaved(saved) {
      queries.setQueryData(['tenant', tenantId, 'articles', saved.id], saved);
      void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'articles', 'list'] });
    },
  });
}

/** Actions save pending changes first. */
function useArticleActions(copy: ArticleCopy) {
  const t = useTranslations('articles');
  const { tenant, canEdit } = useWorkspace();
  const open = useOpenPage();
  const changes = ['articles'];
  const { record, accept, saveNow, state } = copy;
  const confirmBroken = useBreakCheck();
  const isCancelled = (error: unknown) => error === CANCELLED;
  const publish = useAction(
    async () => {
      const saved = await saveNow();
      if (saved) await confirmBroken({ articleId: saved.id });
      return saved && (await tenant.articles.publish(saved));
    },
    {
      changes: [...changes, ANSWER_TESTS],
      onError: isCancelled,
      onDone: (article) => article && accept(article),
      done: t('published'),
    },
  );
  const schedule = useSchedule({
    record,
    lead: useTranslations('schedule')('leadArticle'),
    schedule: async (publishAt) => {
      const saved = await saveNow();
      if (saved && publishAt) await confirmBroken({ articleId: saved.id });
      return saved && (await tenant.articles.schedule(saved, publishAt));
    },
    onDone: accept,
  });
  const unpublishUnlessBroken = async () => {
    await confirmBroken({ articleId: record.id, unpublish: true });
    return tenant.articles.unpublish(record);
  };
  const unpublish = useAction(unpublishUnlessBroken, {
    changes: [...changes, ANSWER_TESTS],
    onError: isCancelled,
    onDone: accept,
    done: t('unpublished'),
    // Publishing takes the working copy, so nothing brings back an older live version.
    undo: (article) =>
      record.live?.changed ? undefined : async () => accept(await tenant.articles.publish(article)),
  });
  const remove = useDeferredAction((_, options) => tenant.articles.delete(record.id, options), {
    ids: () => [record.id],
    done: t('deleted'),
    onStart: () => open('/articles'),
    onDone: () => deleteDraft(record.id),
    changes,
  });
  const hasNewerText = record.status !== 'published' || record.live?.changed === true || state !== 'saved';
  const publishBlocker = needsDecision(state)
    ? ('publishAfterConflict' as const)
    : state === 'incomplete'
      ? ('publishIncomplete' as const)
      : hasNewerText
        ? undefined
        : ('upToDate' as const);
  return { publish, schedule, unpublish, remove, publishBlocker, canPublish: canEdit && !publishBlocker };
}

type ArticleActionsProps = {
  record: Article;
  actions: ReturnType<typeof useArticleActions>;
};

function ArticleActions({ record, actions }: ArticleActionsProps) {
  const t = useTranslations('articles');
  const { canEdit } = useWorkspace();
  const history = (
    <ButtonLink
      variant="default"
      className="icon-on-phone"
      to={`/articles/${record.id}/revisions`}
      leftSection={<Icon name="history" />}
    >
      {t('revisions')}
    </ButtonLink>
  );
  if (!canEdit) return history;
  return (
    <>
      {history}
      <ReasonButton
        leftSection={<Icon name="world-upload" />}
        onClick={() => actions.publish.mutate()}
        loading={actions.publish.isPending}
        reason={actions.publishBlocker && t(actions.publishBlocker)}
      >
        {t(record.status === 'published' ? 'publishChanges' : 'publish')}
      </ReasonButton>
      <MoreActions record={record} actions={actions} />
    </>
  );
}

function MoreActions({ record, actions }: ArticleActionsProps) {
  const t = useTranslations('articles');
  const publishLater = useTranslations('schedule')('publishLater');
  const confirm = useConfirm();
  const ask = (kind: 'unpublish' | 'delete', act: () => void) =>
    confirm(
      {
        title: t(`${kind}Title`),
        lead: t(`${kind}Lead`, { count: record.translations.length }),
        confirm: t(kind),
      },
      act,
    );
  return (
    <ActionMenu
      label={t('more')}
      actions={[
        actions.canPublish && {
          label: publishLater,
          icon: 'clock',
          run: actions.schedule.ask,
        },
        record.status === 'published' && {
          label: t('unpublish'),
          icon: 'archive-off',
          run: () => ask('unpublish', actions.unpublish.mutate),
        },
        { label: t('delete'), icon: 'trash', isDangerous: true, run: () => ask('delete', actions.remove) },
      ]}
    />
  );
}

function ArticleTranslations({ article }: { article: Article }) {
  const t = useTranslations('articles');
  const s = useTranslations('statuses');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  const pending = usePendingIds();
  const translations = article.translations.filter(({ translationId }) => !pending.has(translationId));
  return (
    <Card title={t('translations')} lead={t('translationsLead')} isRegion wide>
      {translations.length > 0 && (
        <DataTable
          caption={t('translations')}
          minWidth={360}
          layout="fixed"
          rows={translations}
          getKey={({ translationId }) => translationId}
          columns={[
            {
              label: t('language'),
              cell: ({ locale }) => (
                <PageLink to={`/articles/${article.id}/translations/${locale}`}>{name(locale)}</PageLink>
              ),
            },
            {
              label: t('visitorStatus'),
              cell: (row) => <TranslationBadge state={row.live ? getTranslationState(row) : 'missing'} />,
            },
            {
              label: t('workingCopy'),
              cell: ({ status, stale, scheduled }) =>
                scheduled ? (
                  <ScheduleBadge at={scheduled.at} />
                ) : (
                  <Text size="sm">
                    {s(`translation.${status}`)}
                    {stale && ` · ${s('stale')}`}
                  </Text>
                ),
            },
          ]}
        />
      )}
      {canEdit && <AddTranslation article={article} />}
    </Card>
  );
}

function AddTranslation({ article }: { article: Article }) {
  const t = useTranslations('articles');
  const open = useOpenPage();
  const [locale, setLocale] = useState<string | null>(null);
  const [submitted, setSubmitted] = useState(false);
  const taken = new Set([article.locale, ...article.translations.map((each) => each.locale)]);
  const choices = languageChoices(useLocale()).filter(({ value }) => !taken.has(value));
  function start(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (locale) void open(`/articles/${article.id}/translations/${locale}`);
  }
  return (
    <Group component="form" align="flex-end" onSubmit={start}>
      <Select
        label={t('addLanguage')}
        searchable
        data={choices}
        value={locale}
        onChange={setLocale}
        error={submitted && !locale && t('chooseLanguage')}
        className="grow"
      />
      <Button type="submit" variant="default">
        {t('addTranslation')}
      </Button>
    </Group>
  );
}

type AliasSuggestionsProps = {
  article: Pick<Article, 'id' | 'locale'>;
  /** Aliases in the form, which may be unsaved. */
  aliases: readonly string[];
  accept: (alias: string) => void;
};

/** Keywords that visitors' questions and translations suggest, to add to the form or to dismiss for good. */
function AliasSuggestions({ article: { id, locale }, aliases, accept }: AliasSuggestionsProps) {
  const t = useTranslations('articles');
  const { tenant } = useWorkspace();
  const headingId = useId();
  const key = ['articles', id, 'alias-suggestions'];
  const { data = [] } = useTenantQuery(key, (client, options) =>
    client.articles.aliasSuggestions(id, options),
  );
  const dismiss = useAction(
    ({ alias, locale }: AliasSuggestion) => tenant.articles.dismissAlias(id, { alias, locale }),
    { changes: [[...key]] },
  );
  const taken = new Set(aliases.map((alias) => alias.toLocaleLowerCase(locale)));
  const suggestions = data.filter(({ alias }) => !taken.has(alias.toLocaleLowerCase(locale)));
  if (suggestions.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500} id={headingId}>
        {t('suggestedAliases')}
      </Text>
      <Note>{t('suggestedAliasesHint')}</Note>
      <Group gap="xs" component="ul" className="plain-list" aria-labelledby={headingId}>
        {suggestions.map((suggestion) => (
          <Group key={suggestion.alias} component="li" gap={0} wrap="nowrap">
            <Button
              variant="light"
              size="compact-sm"
              leftSection={<Icon name="plus" size={14} />}
              aria-label={t('addAlias', { alias: suggestion.alias })}
              onClick={() => accept(suggestion.alias)}
            >
              <span lang={locale} dir={getDirection(locale)}>
                {suggestion.alias}
              </span>
            </Button>
            <CloseButton
              size={28}
              aria-label={t('dismissAlias', { alias: suggestion.alias })}
              disabled={dismiss.isPending}
              onClick={() => dismiss.mutate(suggestion)}
            />
          </Group>
        ))}
      </Group>
    </Stack>
  );
}
