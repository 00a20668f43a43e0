import {
  Button,
  Checkbox,
  Group,
  Paper,
  Select,
  Stack,
  Text,
  Textarea,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { ErrorMessage } from '../../components/error-message.tsx';
import { Page } from '../../components/page.tsx';
import { languageChoices } from '../../languages.ts';
import { regionNames } from '../../regions.ts';
import { useWorkspace } from '../../session.ts';
import { useTenantQuery } from '../../tenant-queries.ts';
import { PreviewResult } from './preview-result.tsx';

type Attempt = { readonly number: number; readonly question: PreviewQuestion; readonly preview: Preview };

/** Asks the guide as a visitor of any language and region. */
export function PreviewPage() {
  const t = useTranslations('preview');
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  const [attempts, setAttempts] = useState<readonly Attempt[]>([]);
  const [shown, setShown] = useState(0);
  const [error, setError] = useState<unknown>();
  const [note, setNote] = useState('');
  const running = useRef<AbortController>(undefined);
  const [asking, setAsking] = useState(false);

  async function ask(question: PreviewQuestion) {
    const controller = new AbortController();
    running.current = controller;
    setAsking(true);
    setError(undefined);
    setNote(t('asking'));
    try {
      const preview = await tenant.preview(question, { signal: controller.signal });
      setAttempts((before) => [{ number: before.length + 1, question, preview }, ...before]);
      setShown(0);
      setNote(preview.answer);
      void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'usage'] });
    } catch (reason) {
      if (isGuideError(reason, 'aborted')) setNote(t('stopped'));
      else setError(reason);
    } finally {
      setAsking(false);
    }
  }

  const current = attempts[shown];
  return (
    <Page title={t('title')} lead={t('lead')}>
      <QuestionForm ask={ask} asking={asking} stop={() => running.current?.abort()} />
      <VisuallyHidden role="status">{note}</VisuallyHidden>
      {error !== undefined && <ErrorMessage error={error} />}
      {current && (
        <PreviewResult key={current.number} question={current.question} preview={current.preview} />
      )}
      {attempts.length > 1 && <Attempts attempts={attempts} shown={shown} show={setShown} />}
    </Page>
  );
}

function Attempts({
  attempts,
  shown,
  show,
}: {
  readonly attempts: readonly Attempt[];
  readonly shown: number;
  readonly show: (index: number) => void;
}) {
  const t = useTranslations('preview');
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {t('earlier')}
      </Title>
      <Group gap="xs" component="ul" className="plain-list">
        {attempts.map(({ number, question }, index) => (
          <li key={number}>
            <Button
              size="compact-sm"
              variant={index === shown ? 'light' : 'default'}
              aria-pressed={index === shown}
              onClick={() => show(index)}
            >
              <Text component="span" size="sm" dir="auto" truncate maw={280}>
                {question.message}
                {question.locale && ` · ${question.locale}`}
              </Text>
            </Button>
          </li>
        ))}
      </Group>
    </Stack>
  );
}

type QuestionFormProps = {
  readonly ask: (question: PreviewQuestion) => void;
  readonly asking: boolean;
  readonly stop: () => void;
};

function QuestionForm({ ask, asking, stop }: QuestionFormProps) {
  const t = useTranslations('preview');
  const [message, setMessage] = useState('');
  const [visitor, setVisitor] = useState<Visitor>({ locale: null, region: null, gpc: false });
  const [submitted, setSubmitted] = useState(false);
  const missing = !/\S/.test(message);
  function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (missing || asking) return;
    const { locale, region, gpc } = visitor;
    ask({
      message: message.trim(),
      ...(locale && { locale }),
      ...(region && { region }),
      ...(gpc && { gpc }),
    });
  }
  return (
    <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
      <Stack>
        <Textarea
          label={t('question')}
          autosize
          minRows={2}
          dir="auto"
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
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

type Visitor = { readonly locale: string | null; readonly region: string | null; readonly gpc: boolean };

function VisitorFields({
  visitor,
  change,
}: {
  readonly visitor: Visitor;
  readonly change: (part: Partial<Visitor>) => void;
}) {
  const t = useTranslations('preview');
  return (
    <Group align="flex-end">
      <Select
        label={t('language')}
        searchable
        clearable
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
