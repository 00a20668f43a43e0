import { Anchor, Grid, Group, Paper } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Article } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { Conflict } from '../../editor/conflict.tsx';
import { SavingNote } from '../../editor/saving-note.tsx';
import { Shortcuts } from '../../editor/shortcuts.tsx';
import { useWorkingCopy } from '../../editor/working-copy.ts';
import { useWorkspace } from '../../session.ts';
import { ArticleActions, useArticleSteps } from './article-actions.tsx';
import { ArticleFields, contentOf, isComplete, textOf, useArticleFields } from './article-fields.tsx';
import { ArticleStatus } from './article-status.tsx';
import { ArticleTranslations } from './article-translations.tsx';

export function ArticlePage() {
  const t = useTranslations('articles');
  const { tenant, tenantId } = useWorkspace();
  const { articleId = '' } = useParams({ strict: false });
  const article = useQuery({
    queryKey: ['tenant', tenantId, 'articles', articleId],
    queryFn: ({ signal }) => tenant.articles.read(articleId, { signal }),
    // The editor holds what is typed; what comes from elsewhere meets it as a conflict when it is saved.
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  if (article.isPending) return <Loading />;
  if (article.isError) {
    return (
      <Page title={t('title')}>
        <Trouble error={article.error} retry={article.refetch} />
      </Page>
    );
  }
  return <ArticleEditor key={articleId} article={article.data} />;
}

function ArticleEditor({ article }: { readonly article: Article }) {
  const t = useTranslations('articles');
  const { tenant, tenantId, mayChange } = useWorkspace();
  const queries = useQueryClient();
  const { fields } = useArticleFields();
  const copy = useWorkingCopy({
    key: article.id,
    record: article,
    contentOf: textOf,
    isComplete,
    save: (seen, text) => tenant.articles.edit(seen, contentOf(text)),
    read: () => tenant.articles.read(article.id),
    onSaved(saved) {
      queries.setQueryData(['tenant', tenantId, 'articles', saved.id], saved);
      void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'articles', 'list'] });
    },
  });
  const steps = useArticleSteps(copy);
  useHotkeys(
    [
      ['mod+S', () => void copy.saveNow()],
      ['mod+Enter', () => steps.canPublish && steps.publish.mutate()],
    ],
    [],
  );
  const { record } = copy;
  return (
    <Page
      title={copy.content.title || t('title')}
      lead={
        <Group gap="sm">
          <Anchor component={Link} to={`/w/${tenantId}/articles`} size="sm">
            {t('back')}
          </Anchor>
          <ArticleStatus article={{ status: record.status, changed: record.live?.changed ?? false }} />
          {mayChange && <SavingNote copy={copy} />}
        </Group>
      }
      actions={
        <>
          <Shortcuts />
          <ArticleActions copy={copy} steps={steps} />
        </>
      }
    >
      <Conflict copy={copy} contentOf={textOf} fields={fields} locale={record.locale} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Paper withBorder p="lg">
            <ArticleFields
              text={copy.content}
              change={copy.change}
              locale={record.locale}
              readOnly={!mayChange}
            />
          </Paper>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <ArticleTranslations article={record} />
        </Grid.Col>
      </Grid>
    </Page>
  );
}
