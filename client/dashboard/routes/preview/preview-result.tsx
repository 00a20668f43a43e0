import { Alert, Box, Grid, List, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { ArticleTextLink, Citation, PageLink } from '../../components/links.tsx';
import { Card } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { Muted, Note } from '../../components/text.ts';
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
        <Card title={t('passages')} lead={t('passagesLead')} wide>
          <Passages passages={preview.findings.passages} />
        </Card>
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
    <Card
      title={t('answer')}
      aside={
        <StatusBadge color="gray">
          {t('engine')}: {engine === 'llm' ? t('engines.llm') : t('engines.extractive')}
          {tokens > 0 && ` · ${t('tokens', { count: tokens })}`}
        </StatusBadge>
      }
      wide
    >
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
    </Card>
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
    <Card title={t('consent')} wide>
      <Text>
        {t(`modes.${directive.mode}`)}, {t(`reasons.${directive.reason}`)}.
      </Text>
      <Text size="sm" dir="auto" lang={disclosure.locale}>
        {t('disclosure', { text: disclosure.text })}
      </Text>
      <PageLink to="/settings/consent" size="sm">
        {t('consent')}
      </PageLink>
    </Card>
  );
}

/** Texts that would match if they were published. */
function Unpublished({ matches }: { matches: Preview['unpublished'] }) {
  const t = useTranslations('preview');
  const name = languageNames(useLocale());
  if (matches.length === 0) return null;
  return (
    <Card title={t('unpublished')} wide>
      <DataTable
        caption={t('unpublished')}
        minWidth={360}
        verticalSpacing={undefined}
        rows={matches}
        getKey={({ translationId, articleId }) => translationId ?? articleId}
        columns={[
          {
            label: t('text'),
            cell: ({ articleId, translationId, locale, title }) => (
              <ArticleTextLink articleId={articleId} translation={translationId && locale} lang={locale}>
                {title}
              </ArticleTextLink>
            ),
          },
          { label: t('locale'), cell: ({ locale }) => name(locale) },
          { label: t('whyNot'), cell: ({ reason }) => t(`reason.${reason}`) },
        ]}
      />
    </Card>
  );
}

/** Lists the passages, best match first. */
function Passages({ passages }: Pick<Preview['findings'], 'passages'>) {
  const t = useTranslations('preview');
  const format = useFormatter();
  const name = languageNames(useLocale());
  if (passages.length === 0) return <Text>{t('noPassages')}</Text>;
  return (
    <DataTable
      caption={t('passages')}
      minWidth={620}
      rows={passages}
      getKey={({ articleId, contentLocale }) => `${articleId}:${contentLocale}`}
      columns={[
        {
          label: t('passage'),
          cell: ({ articleId, title, snippet, contentLocale }) => (
            <Stack gap={2}>
              <PageLink to={`/articles/${articleId}`} dir="auto" lang={contentLocale} fw={600}>
                {title}
              </PageLink>
              <Muted lineClamp={2} dir="auto" lang={contentLocale}>
                {snippet}
              </Muted>
            </Stack>
          ),
        },
        {
          label: t('locale'),
          cell: ({ contentLocale, requestedLocale, fallbackReason }) => (
            <>
              {name(contentLocale)}
              {fallbackReason && (
                <Note>
                  {t(`fallback.${fallbackReason}`, {
                    requested: name(requestedLocale),
                    content: name(contentLocale),
                  })}
                </Note>
              )}
            </>
          ),
        },
        {
          label: t('score'),
          cell: ({ confidence }) => (
            <Box miw={120}>
              <Progress value={confidence * 100} aria-hidden />
              <Text size="sm">
                {format.number(confidence, { style: 'percent', maximumFractionDigits: 0 })}
              </Text>
            </Box>
          ),
        },
        {
          label: t('cited'),
          cell: ({ cited }) =>
            cited ? <StatusBadge color="green">{t('yes')}</StatusBadge> : <Text size="sm">{t('no')}</Text>,
        },
      ]}
    />
  );
}
