import { Alert, Box, Button, Code, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { BootPreview } from '../../../../generated/types.ts';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { Citation } from '../../components/citation.tsx';
import { KeepTestButton } from '../../components/keep-test.tsx';
import { ArticleTextLink, PageLink } from '../../components/links.tsx';
import { Card, Muted, Note } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';

export type Turn = { number: number; question: PreviewQuestion; preview: Preview };

type TurnsProps = {
  turns: readonly Turn[];
  shownIndex: number;
  show: (index: number) => void;
};

/** The questions so far, oldest first. One shows what led to its answer. */
export function Turns({ turns, shownIndex, show }: TurnsProps) {
  const t = useTranslations('preview');
  return (
    <Group gap="xs" component="ol" className="plain-list" aria-label={t('conversation')}>
      {turns.map(({ number, question }, index) => (
        <li key={number}>
          <Button
            size="compact-sm"
            maw="16rem"
            variant={index === shownIndex ? 'filled' : 'default'}
            aria-pressed={index === shownIndex}
            onClick={() => show(index)}
          >
            <Text component="span" size="sm" dir="auto" truncate>
              {question.message}
            </Text>
          </Button>
        </li>
      ))}
    </Group>
  );
}

type ResultProps = { question: PreviewQuestion; preview: Preview };

/** What led to an answer. */
export function PreviewResult({ question, preview }: ResultProps) {
  const t = useTranslations('preview');
  return (
    <>
      {preview.finishReason === 'no_knowledge' && <NoAnswer question={question} preview={preview} />}
      <Why question={question} preview={preview} />
      <Unpublished matches={preview.unpublished} />
      <Card title={t('passages')} lead={t('passagesLead')} wide>
        <Passages passages={preview.findings.passages} />
      </Card>
      <Prompt prompt={preview.prompt} />
    </>
  );
}

function Why({ question, preview }: ResultProps) {
  const t = useTranslations('preview');
  const name = languageNames(useLocale());
  const percent = usePercent();
  const { citations, contentLocale, requestedLocale, fallbackReason, engine, usage, rules, findings } =
    preview;
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    <Card
      title={t('why')}
      lead={question.message}
      aside={
        <StatusBadge color="gray">
          {t('engine')}: {engine === 'llm' ? t('engines.llm') : t('engines.extractive')}
          {tokens > 0 && ` · ${t('tokens', { count: tokens })}`}
        </StatusBadge>
      }
      wide
    >
      {findings.passages.length > 0 && findings.found && (
        <Text size="sm">
          {t('scored', {
            confidence: percent(findings.confidence),
            threshold: percent(findings.threshold),
          })}
        </Text>
      )}
      {rules.length > 0 && (
        <Muted>
          {t('rulesSent')}: <bdi>{rules.map(({ name: rule }) => rule).join(', ')}</bdi>
        </Muted>
      )}
      {fallbackReason && contentLocale && (
        <Muted>
          {t(`fallback.${fallbackReason}`, {
            requested: name(requestedLocale),
            content: name(contentLocale),
          })}
        </Muted>
      )}
      {citations.length > 0 && (
        <Stack gap="sm">
          <Text fw={600} size="sm">
            {t('sources')}
          </Text>
          <List type="ordered" size="sm" spacing="sm">
            {citations.map((source) => (
              <List.Item key={`${source.articleId}:${source.quote}`}>
                <Source citation={source} />
              </List.Item>
            ))}
          </List>
        </Stack>
      )}
      <Group>
        <KeepTestButton
          question={question.message}
          locale={requestedLocale}
          articleId={citations[0]?.articleId}
        />
      </Group>
    </Card>
  );
}

function usePercent() {
  const format = useFormatter();
  return (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 });
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

/** The last request to the language model. */
function Prompt({ prompt }: Pick<Preview, 'prompt'>) {
  const t = useTranslations('preview');
  if (prompt.length === 0) return null;
  return (
    <Card isRegion title={t('prompt')} lead={t('promptLead')} wide>
      <Stack gap="xs">
        {prompt.map(({ role, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a message is its place in the request
          <details key={index}>
            <summary>{t(`promptRoles.${role}`)}</summary>
            <Code block className="wrap" mt={4} dir="auto">
              {text}
            </Code>
          </details>
        ))}
      </Stack>
    </Card>
  );
}

function NoAnswer({ question, preview: { findings } }: ResultProps) {
  const t = useTranslations('preview');
  const { canEdit } = useWorkspace();
  const percent = usePercent();
  return (
    <Alert color="orange" title={t('noAnswer')}>
      <Stack gap="xs" align="flex-start">
        <Text>
          {findings.passages.length === 0
            ? t('noMatch')
            : t('scored', {
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

/** How the visitor would be asked, which the guide beside it leaves out. */
export function Consent({ directive }: { directive: BootPreview['consent_directive'] }) {
  const t = useTranslations('preview');
  const { mode, reason, ai_disclosure: disclosure } = directive;
  return (
    <Card title={t('consent')} wide>
      <Text>
        {t(`modes.${mode}`)}, {t(`reasons.${reason}`)}.
      </Text>
      <Text size="sm" dir="auto" lang={disclosure.locale}>
        {t('disclosure', { text: disclosure.text })}
      </Text>
      <PageLink to="/settings/consent" size="sm">
        {t('consentSettings')}
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
  const percent = usePercent();
  const name = languageNames(useLocale());
  if (passages.length === 0) return <Text>{t('noPassages')}</Text>;
  return (
    <DataTable
      caption={t('passages')}
      minWidth={360}
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
              <Text size="sm">{percent(confidence)}</Text>
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
