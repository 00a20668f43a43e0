import type { ReactNode } from 'react';
import type { Preview } from '../../sdk/types.ts';
import { ArticleTextLink } from './links.tsx';
import { Muted } from './page.tsx';

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
      <Muted dir="auto" lang={contentLocale} className="wrap">
        {quote}
      </Muted>
      {children}
    </>
  );
}
