import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import type { SourceConflictText, SourceRunText } from '../../../../generated/types.ts';
import { ArticleTextLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Card, ErrorPage, Muted, Page } from '../../components/page.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { pairParagraphs } from '../../editor/paragraph-pairs.ts';
import { languageNames } from '../../languages.ts';
import { useRunText, useSource } from './source-queries.ts';

/** A text of a run, as visitors will see it, and what changes. */
export default function RunTextPage() {
  const t = useTranslations('sources');
  const { sourceId = '', runId = '' } = useParams({ strict: false });
  const { place = '' } = useSearch({ strict: false });
  const source = useSource(sourceId);
  const text = useRunText({ sourceId, runId }, place);
  const error = source.error ?? text.error;
  if (error) return <ErrorPage title={t('text')} error={error} retry={() => void text.refetch()} />;
  if (!source.data || !text.data) return <Loading shape="page" />;
  const { name } = source.data;
  const { before, after } = text.data;
  return (
    <Page
      title={(after ?? before)?.title ?? place}
      crumbs={[
        { label: t('title'), to: '/sources' },
        { label: name, to: `/sources/${sourceId}` },
        { label: t('run'), to: `/sources/${sourceId}/runs/${runId}` },
      ]}
      lead={<Origin text={text.data} />}
    >
      {before && after ? (
        <Changes before={before} after={after} locale={text.data.locale} />
      ) : (
        <Single text={text.data} />
      )}
    </Page>
  );
}

type TextProps = { text: SourceRunText };

function Origin({ text: { place, locale, articleId, translationId } }: TextProps) {
  const t = useTranslations('sources');
  const language = languageNames(useLocale());
  return (
    <span className="wrap">
      {locale && `${language(locale)} · `}
      <span dir="ltr" translate="no">
        {place}
      </span>
      {articleId && (
        <>
          {' · '}
          <ArticleTextLink articleId={articleId} translation={translationId && locale}>
            {t('openArticle')}
          </ArticleTextLink>
        </>
      )}
    </span>
  );
}

function Single({ text: { before, after, locale } }: TextProps) {
  const t = useTranslations('sources');
  const shown = after ?? before;
  if (!shown) return null;
  return (
    <Card title={t(after ? 'asVisitorsSee' : 'removedText')} isRegion wide>
      <Markdown text={shown.answer} {...(locale && { locale })} />
      <Aliases text={shown} />
    </Card>
  );
}

type ChangesProps = { before: SourceConflictText; after: SourceConflictText; locale: string | undefined };

/** Both versions, paragraph beside paragraph, with those marked that differ. */
function Changes({ before, after, locale }: ChangesProps) {
  const t = useTranslations('sources');
  const pairs = pairParagraphs(before.answer, after.answer);
  const changed = pairs.filter((pair) => pair.text !== pair.before).length;
  const language = locale && { locale };
  return (
    <Stack>
      <Text size="sm" role="status">
        {t('changedParagraphs', { changed, all: pairs.length })}
      </Text>
      <SimpleGrid cols={2} spacing="md" visibleFrom="sm">
        <Text fw={600}>{t('textBefore')}</Text>
        <Text fw={600}>{t('textAfter')}</Text>
      </SimpleGrid>
      {before.title !== after.title && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <Text dir="auto">{before.title}</Text>
          <Text dir="auto">{after.title}</Text>
        </SimpleGrid>
      )}
      <ol className="paragraphs">
        {pairs.map((pair, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two paragraphs may be equal
          <li key={index} data-changed={pair.text !== pair.before || undefined}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
              <Version label={t('textBefore')} text={pair.before} {...language} />
              <Version label={t('textAfter')} text={pair.text} {...language} />
            </SimpleGrid>
          </li>
        ))}
      </ol>
      <Aliases text={after} />
    </Stack>
  );
}

function Version({ label, text, locale }: { label: string; text: string; locale?: string }) {
  return (
    <section aria-label={label}>
      {text !== '' && <Markdown text={text} {...(locale && { locale })} />}
    </section>
  );
}

function Aliases({ text: { aliases } }: { text: SourceConflictText }) {
  const t = useTranslations('translations');
  if (aliases.length === 0) return null;
  return (
    <Muted>
      {t('aliasesLabel')}: {aliases.join(', ')}
    </Muted>
  );
}
