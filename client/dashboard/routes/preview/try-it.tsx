import { Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Preview, PreviewQuestion } from '../../../sdk/types.ts';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';
import { PreviewResult } from './preview-result.tsx';
import { QuestionForm } from './question-form.tsx';

type Try = { readonly number: number; readonly question: PreviewQuestion; readonly preview: Preview };

/** The guide as a visitor of any language and region meets it, and everything that its answer stands on. */
export function TryItPage() {
  const t = useTranslations('tryIt');
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  const [tries, setTries] = useState<readonly Try[]>([]);
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
      setTries((before) => [{ number: before.length + 1, question, preview }, ...before]);
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

  const current = tries[shown];
  return (
    <Page title={t('title')} lead={t('lead')}>
      <QuestionForm ask={ask} asking={asking} stop={() => running.current?.abort()} />
      <VisuallyHidden role="status">{note}</VisuallyHidden>
      {error !== undefined && <Trouble error={error} />}
      {current && (
        <PreviewResult key={current.number} question={current.question} preview={current.preview} />
      )}
      {tries.length > 1 && (
        <Stack gap="xs" component="section">
          <Title order={2} size="h4">
            {t('earlier')}
          </Title>
          <Group gap="xs" component="ul" className="plain-list">
            {tries.map(({ number, question }, index) => (
              <li key={number}>
                <Button
                  size="compact-sm"
                  variant={index === shown ? 'light' : 'default'}
                  aria-pressed={index === shown}
                  onClick={() => setShown(index)}
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
      )}
    </Page>
  );
}
