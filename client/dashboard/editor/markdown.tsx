import { Typography } from '@mantine/core';
import { memo, useLayoutEffect, useRef } from 'react';
import { createRichText } from '../../embed/rich-text.ts';
import { getDirection } from '../languages.ts';
import { serviceUrl } from '../session.ts';

type MarkdownProps = {
  text: string;
  locale?: string;
  /** Whether an article contains the text word for word, so that its tables, code and images are drawn too. */
  isQuote?: boolean;
};

/** Draws Markdown with the guide's code: as elements, never as HTML, so that an article cannot bring a script. */
export const Markdown = memo(function Markdown({ text, locale, isQuote }: MarkdownProps) {
  const holder = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!holder.current) return;
    holder.current.replaceChildren();
    createRichText(holder.current, serviceUrl).draw(text, [], isQuote);
  }, [text, isQuote]);
  return (
    <Typography ref={holder} lang={locale} dir={locale ? getDirection(locale) : 'auto'} className="wrap" />
  );
});
