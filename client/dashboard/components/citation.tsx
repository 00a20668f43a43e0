import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Preview } from '../../sdk/types.ts';
import { ArticleTextLink } from './article-link.tsx';

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
