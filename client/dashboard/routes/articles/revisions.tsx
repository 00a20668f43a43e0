import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Article } from '../../../sdk/types.ts';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { ErrorPage, Page } from '../../components/page.tsx';
import { LoadMore, useCursorList } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
import { Revisions, type Version } from '../../editor/revisions.tsx';
import { useArticle, useWorkspace } from '../../session.ts';
import { type ArticleText, toArticleContent, toArticleText, useArticleFields } from './article-fields.tsx';

export default function ArticleRevisionsPage() {
  const t = useTranslations('articles');
  const { articleId = '' } = useParams({ strict: false });
  const article = useArticle(articleId);
  if (article.isPending) return <Loading shape="page" />;
  if (article.isError)
    return <ErrorPage title={t('revisions')} error={article.error} retry={article.refetch} />;
  const { title } = article.data;
  return (
    <Page
      title={t('revisionsTitle', { title })}
      lead={t('revisionsLead')}
      crumbs={[
        { label: t('title'), to: '/articles' },
        { label: title, to: `/articles/${articleId}` },
      ]}
    >
      <ArticleRevisions article={article.data} />
    </Page>
  );
}

function ArticleRevisions({ article }: { article: Article }) {
  const t = useTranslations();
  const { tenant, canEdit } = useWorkspace();
  const { fields } = useArticleFields();
  const list = useCursorList(['articles', article.id, 'revisions'], (tenant) =>
    tenant.articles.revisions(article.id, { limit: 20 }),
  );
  const restore = useAction(
    ({ content }: Version<ArticleText>) => tenant.articles.edit(article, toArticleContent(content)),
    {
      changes: ['articles'],
      done: t('articles.restored'),
      undo: (restored) => () => tenant.articles.edit(restored, toArticleContent(toArticleText(article))),
    },
  );
  if (list.isPending) return <Loading shape="table" />;
  if (list.isError) return <ErrorMessage error={list.error} retry={list.refetch} />;
  const versions = list.rows.map((row) => ({
    revision: row.revision,
    event: t(`articles.event.${row.event}`),
    at: row.createdAt,
    by: row.authorId,
    content: toArticleText(row),
  }));
  return (
    <Revisions
      versions={versions}
      fields={fields}
      locale={article.locale}
      more={<LoadMore list={list} />}
      action={(older) =>
        canEdit &&
        older.revision !== article.revision && (
          <Button variant="default" onClick={() => restore.mutate(older)} loading={restore.isPending}>
            {t('articles.restore')}
          </Button>
        )
      }
    />
  );
}
