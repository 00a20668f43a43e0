import { Alert, Grid, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { Citation } from '../../components/citation.tsx';
import { Mark } from '../../components/mark.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { Passages } from './passages.tsx';
import { Unpublished } from './unpublished.tsx';

type ResultProps = { readonly question: PreviewQuestion; readonly preview: Preview };

export function PreviewResult({ question, preview }: ResultProps) {
  const t = useTranslations('tryIt');
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg">
          {preview.finishReason === 'no_knowledge' && <Nothing question={question} preview={preview} />}
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
            <Title order={2} size="h4">
              {t('passages')}
            </Title>
            <Text size="sm" c="dimmed">
              {t('passagesLead')}
            </Text>
            <Passages passages={preview.findings.passages} />
          </Stack>
        </Paper>
      </Grid.Col>
    </Grid>
  );
}

function AnswerCard({ preview }: { readonly preview: Preview }) {
  const t = useTranslations('tryIt');
  const name = languageNames(useLocale());
  const { answer, citations, suggestions, contentLocale, requestedLocale, fallbackReason, engine, usage } =
    preview;
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('answer')}
          </Title>
          <Mark color="gray">
            {t('engine')}: {engine === 'llm' ? t('engines.llm') : t('engines.extractive')}
            {tokens > 0 && ` · ${t('tokens', { count: tokens })}`}
          </Mark>
        </Group>
        <Markdown text={answer} {...(contentLocale && { locale: contentLocale })} />
        {fallbackReason && contentLocale && (
          <Text size="sm" c="dimmed">
            {t(`fallback.${fallbackReason}`, {
              requested: name(requestedLocale),
              content: name(contentLocale),
            })}
          </Text>
        )}
        {citations.length > 0 && (
          <Stack gap={4}>
            <Text fw={600} size="sm">
              {t('sources')}
            </Text>
            <List type="ordered" size="sm">
              {citations.map((source) => (
                <List.Item key={`${source.articleId}:${source.quote}`}>
                  <Source citation={source} />
                </List.Item>
              ))}
            </List>
          </Stack>
        )}
        {suggestions.length > 0 && (
          <Stack gap={4}>
            <Text fw={600} size="sm">
              {t('suggestions')}
            </Text>
            <List size="sm">
              {suggestions.map(({ title }) => (
                <List.Item key={title}>
                  <span dir="auto">{title}</span>
                </List.Item>
              ))}
            </List>
          </Stack>
        )}
      </Stack>
    </Paper>
  );
}

function Source({ citation }: { readonly citation: Preview['citations'][number] }) {
  const t = useTranslations('tryIt');
  const name = languageNames(useLocale());
  const { contentLocale, stale } = citation;
  return (
    <Citation citation={citation} note={t('sourceIn', { language: name(contentLocale) })}>
      {stale && <Text size="sm">{t('outdated')}</Text>}
    </Citation>
  );
}

/** Why there is no answer, and the way to one. */
function Nothing({ question, preview: { findings } }: ResultProps) {
  const t = useTranslations('tryIt');
  const format = useFormatter();
  const { tenantId, mayChange } = useWorkspace();
  const percent = (value: number) => format.number(value, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <Alert color="orange" title={t('nothing')}>
      <Stack gap="xs" align="flex-start">
        <Text>
          {findings.passages.length === 0
            ? t('nothingAtAll')
            : t('nothingWhy', {
                confidence: percent(findings.confidence),
                threshold: percent(findings.threshold),
              })}
        </Text>
        {mayChange && (
          <TextLink to="/w/$tenantId/articles/new" params={{ tenantId }} search={{ title: question.message }}>
            {t('write')}
          </TextLink>
        )}
      </Stack>
    </Alert>
  );
}

function Consent({ consent: { directive, disclosure } }: Pick<Preview, 'consent'>) {
  const t = useTranslations('tryIt');
  const { tenantId } = useWorkspace();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="xs">
        <Title order={2} size="h4">
          {t('consent')}
        </Title>
        <Text>
          {t(`modes.${directive.mode}`)}, {t(`reasons.${directive.reason}`)}.
        </Text>
        <Text size="sm" dir="auto" lang={disclosure.locale}>
          {t('disclosure', { text: disclosure.text })}
        </Text>
        <TextLink to={`/w/${tenantId}/settings/consent` as '/'} size="sm">
          {t('consent')}
        </TextLink>
      </Stack>
    </Paper>
  );
}
