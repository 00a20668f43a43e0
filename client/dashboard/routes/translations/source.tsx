import { Stack, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Article, ArticleRevision } from '../../../sdk/types.ts';
import { ReasonButton } from '../../components/buttons.tsx';
import { ErrorMessage, Loading } from '../../components/loading.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { TextDiff } from '../../editor/conflict.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { type Paragraph, pairParagraphs } from '../../editor/paragraph-pairs.ts';
import { getDirection, LISTED, languageNames } from '../../languages.ts';
import { useTenantQuery } from '../../session.ts';
import { numberParagraphs, type ParagraphLink } from './paragraphs.ts';

/** Never refetched while cached: revisions are immutable. */
function useSourceRevision(articleId: string, revision: number | undefined) {
  return useTenantQuery(
    ['articles', articleId, 'revision', revision],
    (tenant, options) => tenant.articles.revision(articleId, revision ?? 0, options),
    {
      enabled: revision !== undefined,
      staleTime: Number.POSITIVE_INFINITY,
    },
  );
}

type SourceProps = {
  article: Article;
  /** The revision to translate. */
  current: number;
  /** The revision that the translation is based on. */
  madeFor?: number | undefined;
  link: ParagraphLink;
  /** Copies the text of the original into the translation, to be overwritten. */
  copy?: { run: (answer: string) => void; isEmpty: boolean } | undefined;
};

/** The original, paragraph by paragraph, and its changes since the translation. */
export function Source({ article, current, madeFor, link, copy }: SourceProps) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  const currentRevision = useSourceRevision(article.id, current);
  const isChanged = madeFor !== undefined && madeFor !== current;
  const earlierRevision = useSourceRevision(article.id, isChanged ? madeFor : undefined);
  const error = currentRevision.error ?? earlierRevision.error;
  const text = currentRevision.data;
  return (
    <Card
      isRegion
      className="source-pane"
      title={t('source', { language: name(article.locale) })}
      lead={t('sourceRevision', { revision: current })}
      aside={
        copy &&
        text && (
          <ReasonButton
            variant="default"
            onClick={() => copy.run(text.answer)}
            reason={copy.isEmpty ? undefined : t('copyNotEmpty')}
          >
            {t('copySource')}
          </ReasonButton>
        )
      }
      wide
    >
      {error && <ErrorMessage error={error} />}
      {text && (!isChanged || earlierRevision.data) ? (
        <Paragraphs before={earlierRevision.data ?? text} after={text} locale={article.locale} link={link} />
      ) : (
        <Loading />
      )}
    </Card>
  );
}

type ParagraphsProps = {
  before: ArticleRevision;
  after: ArticleRevision;
  locale: string;
  link: ParagraphLink;
};

/** Highlights changes, and the counterpart of the paragraph that contains the cursor. */
function Paragraphs({ before, after, locale, link }: ParagraphsProps) {
  const t = useTranslations('translations');
  const format = useFormatter();
  const readerLocale = useLocale();
  const { active, count, setChanged } = link;
  const pairs = useMemo(() => pairParagraphs(before.answer, after.answer), [before, after]);
  const paragraphs = useMemo(() => numberParagraphs(pairs, count), [pairs, count]);
  const changed = paragraphs.filter((each) => each.text !== each.before);
  useEffect(() => setChanged(changed.map(({ counterpart }) => counterpart)), [setChanged, changed]);
  const aliases = [format.list(before.aliases, LISTED), format.list(after.aliases, LISTED)] as const;
  const list = useScrollToActive(active);
  const at = paragraphs.findIndex(({ counterpart }) => counterpart === active);
  return (
    <Stack lang={locale} dir={getDirection(locale)}>
      {before !== after && (
        <Text size="sm" fw={600} role="status" lang={readerLocale} dir="auto">
          {t('changedParagraphs', { changed: changed.length, all: paragraphs.length })}
        </Text>
      )}
      <VisuallyHidden role="status" lang={readerLocale}>
        {at >= 0 && t('paragraphOf', { number: at + 1, all: paragraphs.length })}
      </VisuallyHidden>
      <Text component="div" fw={600}>
        <Marked before={before.title} text={after.title} locale={locale} />
      </Text>
      <ol className="paragraphs" ref={list}>
        {paragraphs.map(({ counterpart, ...each }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: two paragraphs may be equal
            key={index}
            data-changed={each.text !== each.before || undefined}
            data-active={index === at || undefined}
          >
            <UnstyledButton
              className="paragraph-number"
              lang={readerLocale}
              aria-label={t('toParagraph', { number: index + 1 })}
              onClick={() => link.goTo(counterpart)}
            >
              {index + 1}
            </UnstyledButton>
            {each.text === each.before ? (
              <Markdown text={each.text} locale={locale} />
            ) : (
              <TextDiff before={each.before} after={each.text} lang={locale} />
            )}
          </li>
        ))}
      </ol>
      {aliases.some(Boolean) && (
        <Muted component="div">
          <span lang={readerLocale}>{t('aliasesLabel')}</span>:{' '}
          <Marked before={aliases[0]} text={aliases[1]} locale={locale} />
        </Muted>
      )}
    </Stack>
  );
}

/** Keeps the marked paragraph in sight where the original scrolls on its own. */
function useScrollToActive(active: number | undefined) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (active === undefined) return;
    const marked = list.current?.querySelector<HTMLElement>('[data-active]');
    const pane = list.current?.closest('.source-pane');
    if (marked && pane && pane.scrollHeight > pane.clientHeight)
      pane.scrollTo({ top: marked.offsetTop - pane.clientHeight / 3 });
  }, [active]);
  return list;
}

function Marked({ before, text, locale }: Paragraph & { locale: string }) {
  return before === text ? text : <TextDiff before={before} after={text} lang={locale} />;
}
