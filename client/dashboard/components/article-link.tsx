import { type AnchorProps, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { Preview } from '../../sdk/types.ts';
import { useWorkspace } from '../session.ts';
import { TextLink } from './text-link.tsx';

/** An article by its title, which leads to it, or to its text in another language. */
export function ArticleLink({
  id,
  locale,
  name,
}: {
  readonly id: string;
  /** The language of the text that is meant; the article's own when absent. */
  readonly locale?: string | undefined;
  /** What to call it when it is there no more. */
  readonly name?: string | undefined;
}) {
  const t = useTranslations('shell');
  const { tenant, tenantId } = useWorkspace();
  const article = useQuery({
    queryKey: ['tenant', tenantId, 'articles', id],
    queryFn: ({ signal }) => tenant.articles.read(id, { signal }),
    staleTime: 60_000,
  });
  if (isGuideError(article.error) && article.error.status === 404) {
    return <span className="wrap">{name ?? t('deletedArticle')}</span>;
  }
  const { title = name ?? '…', locale: own, translations = [] } = article.data ?? {};
  const isTranslation = locale !== undefined && translations.some((each) => each.locale === locale);
  return (
    <ArticleTextLink
      articleId={id}
      translation={isTranslation ? locale : undefined}
      lang={own}
      className="wrap"
      fz="inherit"
    >
      {title}
    </ArticleTextLink>
  );
}

type ArticleTextLinkProps = Pick<AnchorProps, 'className' | 'fz'> & {
  readonly articleId: string;
  /** The language of the translation that it leads to; to the article itself when absent. */
  readonly translation?: string | undefined;
  readonly lang?: string | undefined;
  readonly children: ReactNode;
};

/** Leads to where a text is written: an article, or its translation into a language. */
export function ArticleTextLink({ articleId, translation, ...link }: ArticleTextLinkProps) {
  const { tenantId } = useWorkspace();
  const article = { tenantId, articleId };
  return translation === undefined ? (
    <TextLink to="/w/$tenantId/articles/$articleId" params={article} dir="auto" {...link} />
  ) : (
    <TextLink
      to="/w/$tenantId/articles/$articleId/translations/$locale"
      params={{ ...article, locale: translation }}
      dir="auto"
      {...link}
    />
  );
}

type CitationProps = {
  readonly citation: Pick<
    Preview['citations'][number],
    'articleId' | 'translationId' | 'title' | 'quote' | 'contentLocale'
  >;
  /** Stands behind the title, such as the language. */
  readonly note: ReactNode;
  /** What else is to be known about it. */
  readonly children: ReactNode;
};

/** What an answer stands on: the text by the title that it was cited with, which leads to it, and the words that were quoted. */
export function Citation({ citation, note, children }: CitationProps) {
  const { articleId, translationId, title, quote, contentLocale } = citation;
  return (
    <>
      <ArticleTextLink
        articleId={articleId}
        translation={translationId && contentLocale}
        lang={contentLocale}
      >
        {title}
      </ArticleTextLink>{' '}
      {note}
      <Text size="sm" c="dimmed" dir="auto" lang={contentLocale} className="wrap">
        {quote}
      </Text>
      {children}
    </>
  );
}
