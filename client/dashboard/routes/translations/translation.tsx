import { Accordion, Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Article, Translation, TranslationDetail } from '../../../sdk/types.ts';
import { RelativeTime, useActorValues } from '../../components/attribution.tsx';
import { ReasonButton } from '../../components/buttons.tsx';
import { Loading } from '../../components/loading.tsx';
import { Card, ErrorPage, Muted } from '../../components/page.tsx';
import { TranslationBadge } from '../../components/status-badge.tsx';
import { showToast, useAction } from '../../components/use-action.tsx';
import { Conflict } from '../../editor/conflict.tsx';
import { deleteDraft, findDraft, saveDraft } from '../../editor/draft.ts';
import { SavingStatus, Shortcuts, useTypingKeys } from '../../editor/toolbar.tsx';
import { useWorkingCopy, type WorkingCopy } from '../../editor/working-copy.ts';
import { languageNames } from '../../languages.ts';
import { useArticle, useTenantQuery, useWorkspace } from '../../session.ts';
import { type ParagraphLink, useParagraphLink } from './paragraphs.ts';
import { Source } from './source.tsx';
import {
  type TranslationActionSet,
  TranslationActions,
  type TranslationCopy,
  useTranslationActions,
} from './translation-actions.tsx';
import {
  isComplete,
  NO_TEXT,
  TranslationFields,
  TranslationFrame,
  type TranslationText,
  toTranslationContent,
  toTranslationText,
  useTranslationFields,
} from './translation-frame.tsx';

export default function TranslationPage() {
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
  if (!article.data || (translationId && !translation.data)) return <Loading shape="page" />;
  return translation.data ? (
    <TranslationEditor key={translation.data.id} article={article.data} translation={translation.data} />
  ) : (
    <NewTranslation key={locale} article={article.data} locale={locale} />
  );
}

/** A translation that does not exist yet; its text is a local draft until it is created. */
export function NewTranslation({ article, locale }: { article: Article; locale: string }) {
  const t = useTranslations('translations');
  const language = languageNames(useLocale())(locale);
  const { canEdit } = useWorkspace();
  const current = article.live?.revision ?? article.revision;
  const { text, change, submit, submitted, notice, pending, seenRevision } = useNewTranslation(
    article.id,
    locale,
    current,
  );
  const link = useParagraphLink(text.answer);
  const copy = canEdit ? { run: copyText, isEmpty: !/\S/.test(text.answer) } : undefined;
  function copyText(answer: string): void {
    change({ answer });
  }
  return (
    <TranslationFrame
      article={article}
      locale={locale}
      source={<Source article={article} current={current} madeFor={seenRevision} link={link} copy={copy} />}
      above={
        notice && (
          <Alert color="orange" role="alert">
            {notice}
          </Alert>
        )
      }
    >
      <Card
        component="form"
        onSubmit={submit}
        noValidate
        title={t('text', { language })}
        lead={t('startLead', { language })}
        wide
      >
        <TranslationFields
          text={text}
          change={change}
          locale={locale}
          readOnly={!canEdit}
          showErrors={submitted}
          link={link}
        />
        {canEdit && (
          <Button type="submit" loading={pending} className="self-start">
            {t('create')}
          </Button>
        )}
      </Card>
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
  // The original when the translator began. A newer one is shown with its changes.
  const [startRevision] = useState(draft?.baseRevision ?? baseRevision);
  const seenRevision = text === NO_TEXT ? baseRevision : startRevision;
  const [submitted, setSubmitted] = useState(false);
  const [isLocaleTaken, setIsLocaleTaken] = useState(false);
  useEffect(() => {
    if (text !== NO_TEXT) saveDraft(key, { baseRevision: startRevision, content: text });
  }, [text, key, startRevision]);
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
        setIsLocaleTaken(isTaken);
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
  const movedNotice = seenRevision === baseRevision ? undefined : t('sourceMoved');
  const notice = isLocaleTaken ? t('taken') : movedNotice;
  return { text, change, submit, submitted, notice, pending: create.isPending, seenRevision };
}

type EditorProps = { article: Article; translation: TranslationDetail };

function TranslationEditor({ article, translation }: EditorProps) {
  const { canEdit } = useWorkspace();
  const fields = useTranslationFields();
  const copy = useTranslationCopy(article, translation);
  const isKept = translation.revisions.some(({ event }) => event === 'published' || event === 'imported');
  const actions = useTranslationActions(copy, article, !isKept && copy.record.live === undefined);
  useTypingKeys([
    ['mod+S', () => void copy.saveNow()],
    ['mod+Enter', () => actions.next?.run()],
  ]);
  const link = useParagraphLink(copy.content.answer);
  const { record } = copy;
  const { status, locale } = record;
  return (
    <TranslationFrame
      article={article}
      locale={locale}
      lead={
        <>
          <TranslationBadge state={status === 'published' ? 'live' : status} />
          {record.stale && <TranslationBadge state="stale" />}
          {canEdit && <SavingStatus copy={copy} />}
        </>
      }
      actions={
        <>
          <Shortcuts hasParagraphs />
          <TranslationActions actions={actions} />
        </>
      }
      above={
        <>
          <Conflict copy={copy} getContent={toTranslationText} fields={fields} locale={locale} />
          {copy.state === 'sourceChanged' ? (
            <SourceChangedNotice copy={copy} />
          ) : (
            record.stale && status !== 'archived' && <StaleNotice copy={copy} />
          )}
          {actions.schedule.element}
          <ReviewPanel copy={copy} actions={actions} />
        </>
      }
      source={<Source article={article} {...getComparedSources(copy)} link={link} />}
      below={<TranslationHistory translation={translation} />}
    >
      <TextCard copy={copy} link={link} />
    </TranslationFrame>
  );
}

function useTranslationCopy(article: Article, translation: TranslationDetail): TranslationCopy {
  const { tenant, tenantId } = useWorkspace();
  const queries = useQueryClient();
  return useWorkingCopy<TranslationText, Translation>({
    key: translation.id,
    record: translation,
    getContent: toTranslationText,
    isComplete,
    save: (base, text) => tenant.translations.edit(base, toTranslationContent(text)),
    read: () => tenant.translations.read(article.id, translation.id),
    // The article lists the status of its translations.
    onSaved: () => void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'articles'] }),
  });
}

function TextCard({
  copy: { record, state, content, change },
  link,
}: {
  copy: TranslationCopy;
  link: ParagraphLink;
}) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  const { status, locale } = record;
  const lead = status in EDITING_LEADS ? t(`editingLead.${status as keyof typeof EDITING_LEADS}`) : undefined;
  return (
    <Card title={t('text', { language: name(locale) })} lead={getLiveText(record, t)} wide>
      {canEdit && lead && (state === 'typing' || state === 'saving' || status !== 'published') && (
        <Alert color="blue" variant="light">
          {lead}
        </Alert>
      )}
      <TranslationFields
        text={content}
        change={change}
        locale={locale}
        readOnly={!canEdit || status === 'archived'}
        link={link}
      />
    </Card>
  );
}

/** Statuses in which an edit changes the status. */
const EDITING_LEADS = { in_review: true, approved: true, published: true, changes_requested: true } as const;

function getLiveText(
  { live, status }: Translation,
  t: ReturnType<typeof useTranslations<'translations'>>,
): string {
  if (status === 'archived') return t('archivedLead');
  if (!live) return t('notLive');
  return t(live.stale ? 'liveStale' : 'live', { revision: live.revision });
}

/**
 * Compares the current original with the revision that the translation was made for or, after a conflict, with the one
 * that the author last read.
 */
function getComparedSources({ record, theirs, state }: TranslationCopy) {
  const { sourceRevision, currentSourceRevision } = record;
  return state === 'sourceChanged' && theirs
    ? { current: theirs.currentSourceRevision, madeFor: currentSourceRevision }
    : { current: currentSourceRevision, madeFor: sourceRevision };
}

/** Saving against a newer original waits until the translator has seen the changes. */
function SourceChangedNotice({ copy }: { copy: TranslationCopy }) {
  const t = useTranslations('translations');
  const { content, theirs, resolve } = copy;
  return (
    <Alert color="orange" role="alert" title={t('sourceChangedTitle')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('sourceChangedLead')}</Text>
        {theirs && (
          <Button variant="default" onClick={() => resolve(content)}>
            {t('saveForNewSource')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Saving confirms the text against the current original, even if the text has not changed. */
function StaleNotice({ copy }: { copy: WorkingCopy<TranslationText, Translation> }) {
  const t = useTranslations('translations');
  const { tenant, canEdit } = useWorkspace();
  const { id, articleId } = copy.record;
  const confirm = useAction(() => tenant.translations.edit(copy.record, toTranslationContent(copy.content)), {
    changes: ['articles'],
    done: t('confirmed'),
    onDone: copy.accept,
    onError(error) {
      if (!isGuideError(error, 'translation/source_changed')) return false;
      showToast(t('sourceMoved'), { isError: true });
      // Shows the newest changes.
      void tenant.translations.read(articleId, id).then(copy.accept, () => {});
      return true;
    },
  });
  return (
    <Alert color="orange" title={t('staleTitle')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('staleLead')}</Text>
        {canEdit && (
          <Button variant="default" onClick={() => confirm.mutate()} loading={confirm.isPending}>
            {t('confirmAccurate')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function ReviewPanel({ copy, actions }: { copy: TranslationCopy; actions: TranslationActionSet }) {
  const { canEdit } = useWorkspace();
  const { review, status } = copy.record;
  if (status === 'in_review') return canEdit ? <ReviewForm copy={copy} actions={actions} /> : null;
  if (!review || status === 'archived') return null;
  return <ReviewResult review={review} />;
}

function ReviewResult({ review }: { review: NonNullable<TranslationCopy['record']['review']> }) {
  const t = useTranslations('translations');
  const actorValues = useActorValues();
  const { decision, reviewerId, reviewedAt, reviewNote } = review;
  const isApproved = decision === 'approve';
  const tags = {
    ...actorValues(reviewerId),
    when: () => <RelativeTime at={reviewedAt} />,
  };
  return (
    <Alert
      color={isApproved ? 'teal' : 'grape'}
      title={t.rich(isApproved ? 'approvedBy' : 'changesRequestedBy', tags)}
    >
      {reviewNote && (
        <Text dir="auto" className="wrap">
          {reviewNote}
        </Text>
      )}
    </Alert>
  );
}

function ReviewForm({ copy, actions }: { copy: TranslationCopy; actions: TranslationActionSet }) {
  const t = useTranslations('translations');
  const { memberId } = useWorkspace();
  const [note, setNote] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const { approve, requestChanges } = actions;
  const missing = submitted && !/\S/.test(note);
  function request(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (/\S/.test(note)) requestChanges.run(note.trim());
  }
  return (
    <Alert color="blue" variant="outline" title={t('reviewTitle')}>
      <form onSubmit={request} noValidate>
        <Stack>
          <Text size="sm">{t('reviewLead')}</Text>
          {copy.record.updatedBy === memberId && <Text size="sm">{t('reviewOwn')}</Text>}
          <Textarea
            label={t('noteLabel')}
            description={t('noteHint')}
            autosize
            minRows={2}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
            error={missing && t('needNote')}
            dir="auto"
          />
          <Group>
            <ReasonButton
              onClick={approve.run}
              loading={approve.pending}
              reason={approve.blocker && t(`blocked.${approve.blocker}`)}
            >
              {t('approve')}
            </ReasonButton>
            <Button type="submit" variant="default" loading={requestChanges.pending}>
              {t('requestChanges')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Alert>
  );
}

/** Lazy: comparing texts needs a diff library. */
const Revisions = lazy(async () => ({
  default: (await import('../../editor/revisions.tsx')).Revisions<TranslationText>,
}));

function TranslationHistory({ translation }: { translation: TranslationDetail }) {
  const t = useTranslations('translations');
  const fields = useTranslationFields();
  const { revisions, revisionCount, locale } = translation;
  const versions = revisions.map((row) => ({
    revision: row.revision,
    event: t(`event.${row.event}`),
    at: row.createdAt,
    by: row.reviewerId ?? row.authorId,
    note: row.reviewNote,
    content: row.content,
  }));
  return (
    <Accordion variant="contained" order={2} keepMounted={false}>
      <Accordion.Item value="history">
        <Accordion.Control>{t('revisions')}</Accordion.Control>
        <Accordion.Panel>
          <Suspense fallback={<Loading />}>
            <Revisions
              versions={versions}
              fields={fields}
              locale={locale}
              more={
                revisionCount > revisions.length && (
                  <Muted>{t('newestOnly', { shown: revisions.length, all: revisionCount })}</Muted>
                )
              }
            />
          </Suspense>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
