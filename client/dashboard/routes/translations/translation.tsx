import { Alert, Button, Paper } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Article } from '../../../sdk/types.ts';
import { CardContent, ErrorPage, Loading } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { deleteDraft, findDraft, saveDraft } from '../../editor/draft.ts';
import { languageNames } from '../../languages.ts';
import { useArticle, useTenantQuery, useWorkspace } from '../../session.ts';
import { TranslationEditor } from './translation-editor.tsx';
import {
  isComplete,
  NO_TEXT,
  Source,
  TranslationFields,
  TranslationFrame,
  type TranslationText,
  toTranslationContent,
} from './translation-frame.tsx';

export function TranslationPage() {
  const t = useTranslations('translations');
  const { articleId = '', locale = '' } = useParams({ strict: false });
  const article = useArticle(articleId);
  const translationId = article.data?.translations.find((each) => each.locale === locale)?.translationId;
  const translation = useTenantQuery(
    ['articles', articleId, 'translation', translationId],
    (tenant, options) => tenant.translations.read(articleId, translationId ?? '', options),
    {
      enabled: translationId !== undefined,
      staleTime: 0,
      refetchOnWindowFocus: false,
    },
  );
  const error = article.error ?? translation.error;
  if (error) {
    const retry = () => (article.error ? article.refetch() : translation.refetch());
    return <ErrorPage title={t('title')} error={error} retry={retry} />;
  }
  if (!article.data || (translationId && !translation.data)) return <Loading />;
  return translation.data ? (
    <TranslationEditor key={translation.data.id} article={article.data} translation={translation.data} />
  ) : (
    <NewTranslation key={locale} article={article.data} locale={locale} />
  );
}

/** A translation that does not exist yet; its text is a local draft until it is created. */
export function NewTranslation({ article, locale }: { readonly article: Article; readonly locale: string }) {
  const t = useTranslations('translations');
  const language = languageNames(useLocale())(locale);
  const { canEdit } = useWorkspace();
  const current = article.live?.revision ?? article.revision;
  const { text, change, submit, submitted, notice, pending, seenRevision } = useNewTranslation(
    article.id,
    locale,
    current,
  );
  return (
    <TranslationFrame
      article={article}
      locale={locale}
      source={<Source article={article} current={current} madeFor={seenRevision} />}
      above={
        notice && (
          <Alert color="orange" role="alert">
            {notice}
          </Alert>
        )
      }
    >
      <Paper withBorder p="lg" component="form" onSubmit={submit} noValidate>
        <CardContent title={t('text', { language })} lead={t('startLead', { language })}>
          <TranslationFields
            text={text}
            change={change}
            locale={locale}
            readOnly={!canEdit}
            complain={submitted}
          />
          {canEdit && (
            <Button type="submit" loading={pending} className="self-start">
              {t('create')}
            </Button>
          )}
        </CardContent>
      </Paper>
    </TranslationFrame>
  );
}

function useNewTranslation(articleId: string, locale: string, baseRevision: number) {
  const t = useTranslations('translations');
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  const key = `${articleId}:${locale}`;
  const [draft] = useState(() => findDraft<TranslationText>(key));
  const [text, setText] = useState<TranslationText>(draft?.content ?? NO_TEXT);
  // The original that the text was begun for. A newer one is shown with its changes.
  const [begunFor] = useState(draft?.baseRevision ?? baseRevision);
  const seenRevision = text === NO_TEXT ? baseRevision : begunFor;
  const [submitted, setSubmitted] = useState(false);
  const [taken, setTaken] = useState(false);
  useEffect(() => {
    if (text !== NO_TEXT) saveDraft(key, { baseRevision: begunFor, content: text });
  }, [text, key, begunFor]);
  const refresh = () => queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'articles'] });
  const create = useAction(
    () => tenant.translations.create(articleId, { ...toTranslationContent(text), locale, baseRevision }),
    {
      onDone: async () => {
        deleteDraft(key);
        await refresh();
      },
      onError(error) {
        const isTaken = isGuideError(error, 'translation/locale_taken');
        if (!isTaken && !isGuideError(error, 'translation/conflict')) return false;
        setTaken(isTaken);
        void refresh();
        return true;
      },
    },
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (isComplete(text)) create.mutate();
  }
  const change = (part: Partial<TranslationText>) => setText((before) => ({ ...before, ...part }));
  const moved = seenRevision === baseRevision ? undefined : t('sourceMoved');
  const notice = taken ? t('taken') : moved;
  return { text, change, submit, submitted, notice, pending: create.isPending, seenRevision };
}
