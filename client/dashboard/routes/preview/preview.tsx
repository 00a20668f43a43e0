import { Button, Checkbox, Group, Paper, Select, Stack, Text, Textarea, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { Card, ErrorMessage, Page } from '../../components/page.tsx';
import { Muted } from '../../components/text.ts';
import { languageChoices, regionNames } from '../../languages.ts';
import { signedInAgain, useTenantQuery, useWorkspace } from '../../session.ts';
import { PreviewResult } from './preview-result.tsx';

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
  const [visitor, setVisitor] = useState<Visitor>({ locale: null, region: null, gpc: false });
  const [submitted, setSubmitted] = useState(false);
  const missing = !/\S/.test(message);
  const field = useRef<HTMLTextAreaElement>(null);
  async function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (missing || asking) return;
    const { locale, region, gpc } = visitor;
    await ask({
      message: message.trim(),
      ...(locale && { locale }),
      ...(region && { region }),
      ...(gpc && { gpc }),
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

type Visitor = { locale: string | null; region: string | null; gpc: boolean };

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
