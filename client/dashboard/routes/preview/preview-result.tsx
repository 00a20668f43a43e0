import { Alert, Grid, Group, List, Paper, Progress, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { ArticleTextLink, Citation, PageLink } from '../../components/links.tsx';
import { asCardsWhenNarrow, ColumnHeadings } from '../../components/region-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Heading, Muted, Note } from '../../components/text.ts';
import { Markdown } from '../../editor/markdown.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';

type ResultProps = { question: PreviewQuestion; preview: Preview };

export function PreviewResult({ question, preview }: ResultProps) {
  const t = useTranslations('preview');
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg">
          {preview.finishReason === 'no_knowledge' && <NoAnswer question={question} preview={preview} />}
          <AnswerCard preview={preview} />
          <Unpublished matches={preview.unpublished} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Consent consent={preview.consent} />
      </Grid.Col>
      <Grid.Col span={12}>
        <Paper withBorder p="lg" component="section">
          <Stack>
            <Heading>{t('passages')}</Heading>
            <Muted>{t('passagesLead')}</Muted>
            <Passages passages={preview.findings.passages} />
          </Stack>
        </Paper>
      </Grid.Col>
    </Grid>
  );
}

function AnswerCard({ preview }: { preview: Preview }) {
  const t = useTranslations('preview');
  const name = languageNames(useLocale());
  const { answer, citations, suggestions, contentLocale, requestedLocale, fallbackReason, engine, usage } =
    preview;
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Group justify="space-between">
          <Heading>{t('answer')}</Heading>
          <StatusBadge color="gray">
            {t('engine')}: {engine === 'llm' ? t('engines.llm') : t('engines.extractive')}
            {tokens > 0 && ` · ${t('tokens', { count: tokens })}`}
          </StatusBadge>
        </Group>
        <div className="keeps-lines">
          <Markdown text={answer} {...(contentLocale && { locale: contentLocale })} />
        </div>
        {fallbackReason && contentLocale && (
          <Muted>
            {t(`fallback.${fallbackReason}`, {
              requested: name(requestedLocale),
              content: name(contentLocale),
            })}
          </Muted>
        )}
        {citations.length > 0 && (
          <TitledList title={t('sources')} type="ordered">
            {citations.map((source) => (
              <List.Item key={`${source.articleId}:${source.quote}`}>
                <Source citation={source} />
              </List.Item>
            ))}
          </TitledList>
        )}
        {suggestions.length > 0 && (
          <TitledList title={t('suggestions')}>
            {suggestions.map(({ title }) => (
              <List.Item key={title}>
                <span dir="auto">{title}</span>
              </List.Item>
            ))}
          </TitledList>
        )}
      </Stack>
    </Paper>
  );
}

type TitledListProps = {
  title: string;
  type?: 'ordered' | 'unordered';
  children: ReactNode;
};

function TitledList({ title, type = 'unordered', children }: TitledListProps) {
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      <List type={type} size="sm">
        {children}
      </List>
    </Stack>
  );
}

function Source({ citation }: { citation: Preview['citations'][number] }) {
  const t = useTranslations('preview');
  const name = languageNames(useLocale());
  const { contentLocale, stale } = citation;
  return (
    <Citation citation={citation} note={t('sourceIn', { language: name(contentLocale) })}>
      {stale && <Text size="sm">{t('outdated')}</Text>}
    </Citation>
  );
}

function NoAnswer({ question, preview: { findings } }: ResultProps) {
  const t = useTranslations('preview');
  const format = useFormatter();
  const { canEdit } = useWorkspace();
  const percent = (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <Alert color="orange" title={t('noAnswer')}>
      <Stack gap="xs" align="flex-start">
        <Text>
          {findings.passages.length === 0
            ? t('noMatch')
            : t('belowThreshold', {
                confidence: percent(findings.confidence),
                threshold: percent(findings.threshold),
              })}
        </Text>
        {canEdit && (
          <PageLink to="/articles/new" search={{ title: question.message }}>
            {t('write')}
          </PageLink>
        )}
      </Stack>
    </Alert>
  );
}

function Consent({ consent: { directive, disclosure } }: Pick<Preview, 'consent'>) {
  const t = useTranslations('preview');
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="xs">
        <Heading>{t('consent')}</Heading>
        <Text>
          {t(`modes.${directive.mode}`)}, {t(`reasons.${directive.reason}`)}.
        </Text>
        <Text size="sm" dir="auto" lang={disclosure.locale}>
          {t('disclosure', { text: disclosure.text })}
        </Text>
        <PageLink to="/settings/consent" size="sm">
          {t('consent')}
        </PageLink>
      </Stack>
    </Paper>
  );
}

/** Texts that would match if they were published. */
export function Unpublished({ matches }: { matches: Preview['unpublished'] }) {
  const t = useTranslations('preview');
  const name = languageNames(useLocale());
  const columns = [t('text'), t('locale'), t('whyNot')];
  if (matches.length === 0) return null;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Heading>{t('unpublished')}</Heading>
        <Table {...asCardsWhenNarrow(columns)}>
          <ColumnHeadings columns={columns} />
          <Table.Tbody>
            {matches.map(({ articleId, translationId, locale, title, reason }) => (
              <Table.Tr key={translationId ?? articleId}>
                <Table.Th scope="row" fw={400}>
                  <ArticleTextLink articleId={articleId} translation={translationId && locale} lang={locale}>
                    {title}
                  </ArticleTextLink>
                </Table.Th>
                <Table.Td>{name(locale)}</Table.Td>
                <Table.Td>{t(`reason.${reason}`)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
    </Paper>
  );
}

type Passage = Preview['findings']['passages'][number];

/** Lists the passages, best match first. */
export function Passages({ passages }: { passages: readonly Passage[] }) {
  const t = useTranslations('preview');
  if (passages.length === 0) return <Text>{t('noPassages')}</Text>;
  const columns = [t('passage'), t('locale'), t('score'), t('cited')];
  return (
    <Table.ScrollContainer minWidth={620}>
      <Table verticalSpacing="sm" {...asCardsWhenNarrow(columns)}>
        <ColumnHeadings columns={columns} />
        <Table.Tbody>
          {passages.map((passage) => (
            <PassageRow key={`${passage.articleId}:${passage.contentLocale}`} passage={passage} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function PassageRow({ passage }: { passage: Passage }) {
  const t = useTranslations('preview');
  const format = useFormatter();
  const name = languageNames(useLocale());
  const { articleId, title, snippet, contentLocale, requestedLocale, fallbackReason } = passage;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <Stack gap={2}>
          <PageLink to={`/articles/${articleId}`} dir="auto" lang={contentLocale} fw={600}>
            {title}
          </PageLink>
          <Muted lineClamp={2} dir="auto" lang={contentLocale}>
            {snippet}
          </Muted>
        </Stack>
      </Table.Th>
      <Table.Td>
        {name(contentLocale)}
        {fallbackReason && (
          <Note>
            {t(`fallback.${fallbackReason}`, {
              requested: name(requestedLocale),
              content: name(contentLocale),
            })}
          </Note>
        )}
      </Table.Td>
      <Table.Td miw={120}>
        <Progress value={passage.confidence * 100} aria-hidden />
        <Text size="sm">
          {format.number(passage.confidence, { style: 'percent', maximumFractionDigits: 0 })}
        </Text>
      </Table.Td>
      <Table.Td>
        {passage.cited ? (
          <StatusBadge color="green">{t('yes')}</StatusBadge>
        ) : (
          <Text size="sm">{t('no')}</Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
