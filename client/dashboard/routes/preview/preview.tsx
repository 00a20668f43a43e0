import {
  Alert,
  Box,
  Button,
  Checkbox,
  Grid,
  Group,
  List,
  Paper,
  Progress,
  Select,
  Stack,
  Text,
  Textarea,
  VisuallyHidden,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { Citation } from '../../components/citation.tsx';
import { KeepTestButton } from '../../components/keep-test.tsx';
import { ArticleTextLink, PageLink } from '../../components/links.tsx';
import { ErrorMessage } from '../../components/loading.tsx';
import { Card, Muted, Note, Page } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { Markdown } from '../../editor/markdown.tsx';
import { languageChoices, languageNames, regionNames } from '../../languages.ts';
import { signedInAgain, useTenantQuery, useWorkspace } from '../../session.ts';

type Turn = { number: number; question: PreviewQuestion; preview: Preview };
type Conversation = NonNullable<PreviewQuestion['conversation']>;

/** The service accepts no more. */
const TURNS_SENT_MAX = 10;
const ANSWER_CHARS_SENT_MAX = 20_000;

const toConversation = (turns: readonly Turn[]): Conversation =>
  turns.slice(-TURNS_SENT_MAX).map(({ question, preview: { answer, citations } }) => ({
    question: question.message,
    answer: answer.slice(0, ANSWER_CHARS_SENT_MAX).toWellFormed(),
    articleIds: [...new Set(citations.map(({ articleId }) => articleId))],
  }));

/** Talks to the guide as a visitor of any language and region. */
export default function PreviewPage() {
  const t = useTranslations('preview');
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [shownIndex, setShownIndex] = useState(0);
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  const request = useRef<AbortController>(undefined);
  const [asking, setAsking] = useState(false);

  async function ask(asked: PreviewQuestion) {
    const controller = new AbortController();
    request.current = controller;
    setAsking(true);
    setError(undefined);
    setNote(t('asking'));
    try {
      const question = turns.length > 0 ? { ...asked, conversation: toConversation(turns) } : asked;
      const preview = await tenant.preview(question, { signal: controller.signal });
      setTurns([...turns, { number: turns.length + 1, question, preview }]);
      setShownIndex(turns.length);
      setNote(preview.answer);
      void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'usage'] });
    } catch (reason) {
      if (await signedInAgain(reason)) return await ask(asked);
      if (isGuideError(reason, 'aborted')) setNote(t('stopped'));
      else setError(reason);
    } finally {
      setAsking(false);
    }
  }

  const current = turns[shownIndex];
  return (
    <Page title={t('title')} lead={t('lead')}>
      {turns.length > 0 && (
        <Turns
          turns={turns}
          shownIndex={shownIndex}
          show={setShownIndex}
          startNew={() => setTurns([])}
          asking={asking}
        />
      )}
      <QuestionForm ask={ask} asking={asking} stop={() => request.current?.abort()} />
      <VisuallyHidden role="status">{note}</VisuallyHidden>
      {error !== undefined && <ErrorMessage error={error} />}
      {current && (
        <PreviewResult key={current.number} question={current.question} preview={current.preview} />
      )}
    </Page>
  );
}

type TurnsProps = {
  turns: readonly Turn[];
  shownIndex: number;
  show: (index: number) => void;
  startNew: () => void;
  asking: boolean;
};

/** The conversation so far, oldest first. A question shows its whole result below. */
function Turns({ turns, shownIndex, show, startNew, asking }: TurnsProps) {
  const t = useTranslations('preview');
  return (
    <Card
      isRegion
      title={t('conversation')}
      aside={
        <Button variant="default" size="compact-sm" onClick={startNew} disabled={asking}>
          {t('newConversation')}
        </Button>
      }
      wide
    >
      <Stack gap="sm" component="ol" className="plain-list">
        {turns.map(({ number, question, preview }, index) => (
          <Stack key={number} component="li" gap={4} align="flex-start">
            <Button
              size="compact-sm"
              maw="100%"
              variant={index === shownIndex ? 'light' : 'default'}
              aria-pressed={index === shownIndex}
              onClick={() => show(index)}
            >
              <Text component="span" size="sm" dir="auto" truncate>
                {question.message}
                {question.locale && ` · ${question.locale}`}
              </Text>
            </Button>
            {index < turns.length - 1 && (
              <Muted lineClamp={3} dir="auto" lang={preview.contentLocale}>
                {preview.answer}
              </Muted>
            )}
          </Stack>
        ))}
      </Stack>
    </Card>
  );
}

type QuestionFormProps = {
  ask: (question: PreviewQuestion) => Promise<void>;
  asking: boolean;
  stop: () => void;
};

function QuestionForm({ ask, asking, stop }: QuestionFormProps) {
  const t = useTranslations('preview');
  const [message, setMessage] = useState('');
  const [visitor, setVisitor] = useState<Visitor>({
    locale: null,
    region: null,
    gpc: false,
    allRules: false,
  });
  const [submitted, setSubmitted] = useState(false);
  const missing = !/\S/.test(message);
  const field = useRef<HTMLTextAreaElement>(null);
  async function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (missing || asking) return;
    const { locale, region, gpc, allRules } = visitor;
    await ask({
      message: message.trim(),
      locale: locale ?? undefined,
      region: region ?? undefined,
      gpc: gpc || undefined,
      includeDisabledRules: allRules || undefined,
    });
    // The next question replaces this one; Enter asks it again, as another visitor.
    if (document.activeElement === field.current) field.current?.select();
  }
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
      <Stack>
        <Textarea
          ref={field}
          label={t('question')}
          autosize
          minRows={2}
          dir="auto"
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing)
              void submit(event);
          }}
          error={submitted && missing && t('needQuestion')}
        />
        <VisitorFields
          visitor={visitor}
          change={(part) => setVisitor((before) => ({ ...before, ...part }))}
        />
        <Group>
          <Button type="submit" loading={asking}>
            {t('ask')}
          </Button>
          {asking && (
            <Button variant="default" onClick={stop}>
              {t('stop')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

type Visitor = {
  locale: string | null;
  region: string | null;
  gpc: boolean;
  /** Whether rules that are off are tried, too. */
  allRules: boolean;
};

function VisitorFields({ visitor, change }: { visitor: Visitor; change: (part: Partial<Visitor>) => void }) {
  const t = useTranslations('preview');
  return (
    <Group align="flex-end">
      <Select
        label={t('language')}
        searchable
        clearable
        placeholder={t('anyLanguage')}
        value={visitor.locale}
        onChange={(locale) => change({ locale })}
        data={languageChoices(useLocale())}
      />
      <Select
        label={t('region')}
        searchable
        clearable
        placeholder={t('unknownRegion')}
        value={visitor.region}
        onChange={(region) => change({ region })}
        data={useRegions()}
      />
      <Checkbox
        label={t('gpc')}
        checked={visitor.gpc}
        onChange={({ currentTarget }) => change({ gpc: currentTarget.checked })}
        mb={8}
      />
      <Checkbox
        label={t('allRules')}
        checked={visitor.allRules}
        onChange={({ currentTarget }) => change({ allRules: currentTarget.checked })}
        mb={8}
      />
    </Group>
  );
}

/** Regions with a consent rule. */
function useRegions() {
  const name = regionNames(useLocale());
  const { compare } = new Intl.Collator(useLocale());
  const { data } = useTenantQuery(
    ['directives', {}],
    (tenant, options) => tenant.settings.directives(options),
    { staleTime: 300_000 },
  );
  return (data?.data ?? [])
    .filter(({ region }) => region !== 'ZZ')
    .map(({ region }) => ({ value: region, label: name(region) }))
    .sort((one, other) => compare(one.label, other.label));
}

type ResultProps = { question: PreviewQuestion; preview: Preview };

function PreviewResult({ question, preview }: ResultProps) {
  const t = useTranslations('preview');
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="lg">
          {preview.finishReason === 'no_knowledge' && <NoAnswer question={question} preview={preview} />}
          <AnswerCard preview={preview} />
          <Group>
            <KeepTestButton
              question={question.message}
              locale={preview.requestedLocale}
              articleId={preview.citations[0]?.articleId}
            />
          </Group>
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
  const { rules } = preview;
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
        <Markdown text={answer} locale={contentLocale} />
      </div>
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
