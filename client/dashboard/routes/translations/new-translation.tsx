import { Alert, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Article } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import { dropDraft, findDraft, keepDraft } from '../../editor/draft.ts';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { Source } from './source.tsx';
import {
  contentOf,
  isComplete,
  NO_TEXT,
  TranslationFields,
  type TranslationText,
} from './translation-fields.tsx';
import { TranslationFrame } from './translation-frame.tsx';

/** A language that the article does not have yet. What is typed is kept on the device until it is a draft. */
export function NewTranslation({ article, locale }: { readonly article: Article; readonly locale: string }) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  const { tenant, tenantId, mayChange } = useWorkspace();
  const queries = useQueryClient();
  const key = `${article.id}:${locale}`;
  const current = article.live?.revision ?? article.revision;
  const [text, setText] = useState<TranslationText>(
    () => findDraft<TranslationText>(key)?.content ?? NO_TEXT,
  );
  const [tried, setTried] = useState(false);
  const [surprise, setSurprise] = useState<string>();
  useEffect(() => {
    if (text !== NO_TEXT) keepDraft(key, { baseRevision: current, content: text });
  }, [text, key, current]);
  const refresh = () => queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'articles'] });
  const create = useStep(
    () => tenant.translations.create(article.id, { ...contentOf(text), locale, baseRevision: current }),
    {
      onDone: async () => {
        dropDraft(key);
        await refresh();
      },
      onError(error) {
        const moved = isGuideError(error, 'translation/conflict');
        if (!moved && !isGuideError(error, 'translation/locale_taken')) return false;
        setSurprise(t(moved ? 'sourceMoved' : 'taken'));
        void refresh();
        return true;
      },
    },
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (isComplete(text)) create.mutate();
  }
  return (
    <TranslationFrame
      article={article}
      locale={locale}
      source={<Source article={article} current={current} />}
      above={
        surprise && (
          <Alert color="orange" role="alert">
            {surprise}
          </Alert>
        )
      }
    >
      <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
        <Stack>
          <Title order={2} size="h4">
            {t('text', { language: name(locale) })}
          </Title>
          <Text c="dimmed" size="sm">
            {t('startLead', { language: name(locale) })}
          </Text>
          <TranslationFields
            text={text}
            change={(part) => setText((before) => ({ ...before, ...part }))}
            locale={locale}
            readOnly={!mayChange}
            complain={tried}
          />
          {mayChange && (
            <Button type="submit" loading={create.isPending} className="self-start">
              {t('create')}
            </Button>
          )}
        </Stack>
      </Paper>
    </TranslationFrame>
  );
}
