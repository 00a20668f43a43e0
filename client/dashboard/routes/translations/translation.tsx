import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';
import { NewTranslation } from './new-translation.tsx';
import { TranslationEditor } from './translation-editor.tsx';

/** One language of an article: the original on one side, the translation on the other. */
export function TranslationPage() {
  const t = useTranslations('translations');
  const { tenant, tenantId } = useWorkspace();
  const { articleId = '', locale = '' } = useParams({ strict: false });
  const article = useQuery({
    queryKey: ['tenant', tenantId, 'articles', articleId],
    queryFn: ({ signal }) => tenant.articles.read(articleId, { signal }),
  });
  const translationId = article.data?.translations.find((each) => each.locale === locale)?.translationId;
  const translation = useQuery({
    queryKey: ['tenant', tenantId, 'articles', articleId, 'translation', translationId],
    queryFn: ({ signal }) => tenant.translations.read(articleId, translationId ?? '', { signal }),
    enabled: translationId !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const trouble = article.error ?? translation.error;
  if (trouble) {
    const retry = () => (article.error ? article.refetch() : translation.refetch());
    return (
      <Page title={t('title')}>
        <Trouble error={trouble} retry={retry} />
      </Page>
    );
  }
  if (!article.data || (translationId && !translation.data)) return <Loading />;
  return translation.data ? (
    <TranslationEditor key={translation.data.id} article={article.data} translation={translation.data} />
  ) : (
    <NewTranslation key={locale} article={article.data} locale={locale} />
  );
}
