import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Preview } from '../../sdk/types.ts';
import { Markdown } from '../editor/markdown.tsx';
import { ArticleTextLink } from './links.tsx';

type CitationProps = {
  citation: Pick<
    Preview['citations'][number],
    'articleId' | 'translationId' | 'title' | 'quote' | 'contentLocale'
  >;
  /** Follows the title, such as the language. */
  note: ReactNode;
  children: ReactNode;
};

/** A source of an answer: its title as cited, and the quote as the guide draws it. */
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
      <Box fz="sm" mt={4}>
        <Markdown text={quote} locale={contentLocale} isQuote />
      </Box>
      {children}
    </>
  );
}
