import { Typography } from '@mantine/core';
import { memo } from 'react';
import ReactMarkdown from 'react-markdown';
import { getDirection } from '../languages.ts';

/** An answer as visitors read it. Elements are made of it, never HTML: an article brings no script. */
export const Markdown = memo(function Markdown({
  text,
  locale,
}: {
  readonly text: string;
  readonly locale?: string;
}) {
  return (
    <Typography lang={locale} dir={locale ? getDirection(locale) : 'auto'} className="wrap">
      <ReactMarkdown
        // Headings of a text stand below those of the page.
        components={{
          h1: 'h3',
          h2: 'h4',
          h3: 'h5',
          h4: 'h6',
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {children}
            </a>
          ),
          // The content security policy loads nothing from elsewhere; what the picture shows is said.
          img: ({ alt }) => <em>{alt}</em>,
        }}
      >
        {text}
      </ReactMarkdown>
    </Typography>
  );
});
