import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Article } from '../../../sdk/types.ts';
import { More, useCursorList } from '../../components/cursor-list.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useStep } from '../../components/use-step.ts';
import { Revisions, type Version } from '../../editor/revisions.tsx';
import { useWorkspace } from '../../session.ts';
import { type ArticleText, contentOf, textOf, useArticleFields } from './article-fields.tsx';

export function ArticleHistoryPage() {
  const t = useTranslations('articles');
  const { tenant, tenantId } = useWorkspace();
  const { articleId = '' } = useParams({ strict: false });
  const article = useQuery({
    queryKey: ['tenant', tenantId, 'articles', articleId],
    queryFn: ({ signal }) => tenant.articles.read(articleId, { signal }),
  });
  if (article.isPending) return <Loading />;
  if (article.isError) {
    return (
      <Page title={t('history')}>
        <Trouble error={article.error} retry={article.refetch} />
      </Page>
    );
  }
  const { title } = article.data;
  return (
    <Page
      title={t('historyTitle', { title })}
      lead={
        <>
          {t('historyLead')}{' '}
          <Anchor component={Link} to={`/w/${tenantId}/articles/${articleId}`}>
            {title}
          </Anchor>
        </>
      }
    >
      <ArticleRevisions article={article.data} />
    </Page>
  );
}

function ArticleRevisions({ article }: { readonly article: Article }) {
  const t = useTranslations();
  const { tenant, tenantId, mayChange } = useWorkspace();
  const { fields } = useArticleFields();
  const list = useCursorList(
    ['tenant', tenantId, 'articles', article.id, 'revisions'],
    tenant.articles.revisions(article.id, { limit: 20 }),
  );
  const restore = useStep(
    ({ content }: Version<ArticleText>) => tenant.articles.edit(article, contentOf(content)),
    { changes: [['tenant', tenantId, 'articles']], done: t('articles.restored') },
  );
  if (list.isPending) return <Loading />;
  if (list.isError) return <Trouble error={list.error} retry={list.refetch} />;
  const versions = list.rows.map((row) => ({
    revision: row.revision,
    what: t(`articles.event.${row.event}`),
    at: row.createdAt,
    by: row.authorId,
    content: textOf(row),
  }));
  return (
    <Revisions
      versions={versions}
      fields={fields}
      locale={article.locale}
      more={<More list={list} />}
      action={(older) =>
        mayChange &&
        older.revision !== article.revision && (
          <Button variant="default" onClick={() => restore.mutate(older)} loading={restore.isPending}>
            {t('articles.restore')}
          </Button>
        )
      }
    />
  );
}
