import { Anchor, type AnchorProps, Text } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../sdk/errors.ts';
import type { Preview } from '../../sdk/types.ts';
import { useArticle, useWorkspace } from '../session.ts';

/** A link to another page of the dashboard with typed path and search parameters. */
export const TextLink = createLink(function TextLink(
  props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps | 'href'>,
) {
  return <Anchor {...props} />;
});

/** Links to an article by its title, or to its translation. */
export function ArticleLink({
  id,
  locale,
  name,
}: {
  id: string;
  /** The locale to link to; the article itself by default. */
  locale?: string | undefined;
  /** Shown when the article no longer exists. */
  name?: string | undefined;
}) {
  const t = useTranslations('shell');
  const article = useArticle(id, {
    staleTime: 60_000,
  });
  if (isGuideError(article.error) && article.error.status === 404) {
    return <span className="wrap">{name ?? t('deletedArticle')}</span>;
  }
  const { title = name ?? '…', locale: articleLocale, translations = [] } = article.data ?? {};
  const isTranslation = locale !== undefined && translations.some((each) => each.locale === locale);
  return (
    <ArticleTextLink
      articleId={id}
      translation={isTranslation ? locale : undefined}
      lang={articleLocale}
      className="wrap"
      fz="inherit"
    >
      {title}
    </ArticleTextLink>
  );
}

type ArticleTextLinkProps = Pick<AnchorProps, 'className' | 'fz'> & {
  articleId: string;
  /** The locale of the translation to link to; the article itself by default. */
  translation?: string | undefined;
  lang?: string | undefined;
  children: ReactNode;
};

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
  citation: Pick<
    Preview['citations'][number],
    'articleId' | 'translationId' | 'title' | 'quote' | 'contentLocale'
  >;
  /** Follows the title, such as the language. */
  note: ReactNode;
  children: ReactNode;
};

/** A source of an answer: its title as cited, and the quote. */
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
