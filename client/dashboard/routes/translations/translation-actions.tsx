import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Article, Translation } from '../../../sdk/types.ts';
import { ANSWER_TESTS } from '../../answer-tests.ts';
import { ActionMenu, ReasonButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { useOpenPage } from '../../components/links.tsx';
import { CANCELLED, useBreakCheck } from '../../components/publish-check.tsx';
import { useSchedule } from '../../components/schedule.tsx';
import { useAction, useConfirm, useDeferredAction } from '../../components/use-action.tsx';
import { deleteDraft } from '../../editor/draft.ts';
import type { WorkingCopy } from '../../editor/working-copy.ts';
import { useWorkspace } from '../../session.ts';
import { type Blocker, getBlocker, type Transition } from './transitions.ts';
import type { TranslationText } from './translation-frame.tsx';

export type TranslationCopy = WorkingCopy<TranslationText, Translation>;

type TransitionAction = {
  name: Transition;
  run: () => void;
  pending: boolean;
  /** Why it is not possible now. */
  blocker: Blocker | undefined;
};

const NOT_SAVED = new Error('The changes could not be saved.');

/** The transitions of the workflow. */
export function useTranslationActions(copy: TranslationCopy, article: Article, canDelete: boolean) {
  const { record, state } = copy;
  const { submit, approve, requestChanges, publish, restore } = useTransitions(copy, article);
  const { archive, remove } = useRemovals(record, article);
  const toAction = (
    name: Transition,
    { mutate, isPending }: { mutate: () => void; isPending: boolean },
  ): TransitionAction => ({
    name,
    run: () => mutate(),
    pending: isPending,
    blocker: getBlocker(name, record, state),
  });
  const schedule = useScheduledPublication(copy);
  const actions = {
    submit: toAction('submit', submit),
    approve: toAction('approve', approve),
    publish: toAction('publish', publish),
    archive: toAction('archive', { mutate: archive, isPending: false }),
    restore: toAction('restore', restore),
  };
  const next = [actions.submit, actions.approve, actions.publish, actions.restore].find(
    ({ blocker }) => blocker === undefined,
  );
  return {
    ...actions,
    schedule,
    /** Undefined for a translation whose history is kept. */
    remove: canDelete ? () => remove() : undefined,
    requestChanges: { run: requestChanges.mutate, pending: requestChanges.isPending },
    next,
  };
}

const CHANGES = ['articles', 'review-queue', ANSWER_TESTS];

/** The transitions that keep the page open. Submitting saves pending changes first. */
function useTransitions({ record, accept, saveNow }: TranslationCopy, article: Article) {
  const t = useTranslations('translations');
  const { tenant } = useWorkspace();
  const { translations } = tenant;
  const confirmBroken = useBreakCheck();
  const options = {
    changes: CHANGES,
    onDone: accept,
    // The saving status says why.
    onError: (error: unknown) => error === NOT_SAVED || error === CANCELLED,
  };
  const saveAndSubmit = async () => {
    const saved = await saveNow();
    if (!saved) throw NOT_SAVED;
    return translations.submit(saved);
  };
  const publishUnlessBroken = async () => {
    await confirmBroken({ articleId: record.articleId, locale: record.locale });
    return translations.publish(record);
  };
  const published = t(article.live ? 'published' : 'publishedButArticle');
  return {
    submit: useAction(saveAndSubmit, { ...options, done: t('submitted') }),
    approve: useAction(() => translations.review(record, 'approve'), { ...options, done: t('approved') }),
    requestChanges: useAction((note: string) => translations.review(record, 'request_changes', { note }), {
      ...options,
      done: t('changesRequested'),
    }),
    publish: useAction(publishUnlessBroken, { ...options, done: published }),
    restore: useAction(() => translations.restore(record), { ...options, done: t('restored') }),
  };
}

function useScheduledPublication({ record, accept }: TranslationCopy) {
  const t = useTranslations('schedule');
  const { tenant } = useWorkspace();
  const confirmBroken = useBreakCheck();
  return useSchedule({
    record,
    lead: t('leadTranslation'),
    schedule: async (publishAt) => {
      if (publishAt) await confirmBroken({ articleId: record.articleId, locale: record.locale });
      return tenant.translations.schedule(record, publishAt);
    },
    onDone: accept,
  });
}

/** The transitions that lead back to the article. */
function useRemovals(record: Translation, article: Article) {
  const t = useTranslations('translations');
  const { tenant } = useWorkspace();
  const open = useOpenPage();
  const options = {
    ids: () => [record.id],
    onStart: () => open(`/articles/${article.id}`),
    changes: CHANGES,
  };
  return {
    archive: useDeferredAction((_, sending) => tenant.translations.archive(record, sending), {
      ...options,
      done: t('archived'),
    }),
    remove: useDeferredAction((_, sending) => tenant.translations.delete(record, sending), {
      ...options,
      done: t('deleted'),
      onDone: () => deleteDraft(record.id),
    }),
  };
}

export type TranslationActionSet = ReturnType<typeof useTranslationActions>;

export function TranslationActions({ actions }: { actions: TranslationActionSet }) {
  const t = useTranslations('translations');
  const { canEdit } = useWorkspace();
  if (!canEdit) return null;
  const { submit, publish, restore } = actions;
  if (restore.blocker === undefined) {
    return (
      <>
        <Button leftSection={<Icon name="restore" />} onClick={restore.run} loading={restore.pending}>
          {t('restore')}
        </Button>
        {actions.remove && <MoreActions actions={actions} />}
      </>
    );
  }
  return (
    <>
      <ActionButton toAction={submit} label={t('submit')} isMain={submit.blocker === undefined} />
      <ActionButton toAction={publish} label={t('publish')} isMain={publish.blocker === undefined} />
      <MoreActions actions={actions} />
    </>
  );
}

function MoreActions({ actions }: { actions: TranslationActionSet }) {
  const { archive, restore, remove, publish, schedule } = actions;
  const t = useTranslations('translations');
  const publishLater = useTranslations('schedule')('publishLater');
  const more = useTranslations('articles')('more');
  const confirm = useConfirm();
  const ask = (kind: 'archive' | 'delete', act: () => void) =>
    confirm({ title: t(`${kind}Title`), lead: t(`${kind}Lead`), confirm: t(kind) }, act);
  return (
    <ActionMenu
      label={more}
      actions={[
        publish.blocker === undefined && { label: publishLater, icon: 'clock', run: schedule.ask },
        restore.blocker !== undefined && {
          label: t('archive'),
          icon: 'archive',
          run: () => ask('archive', archive.run),
        },
        remove && {
          label: t('delete'),
          icon: 'trash',
          isDangerous: true,
          run: () => ask('delete', remove),
        },
      ]}
    />
  );
}

function ActionButton({
  toAction: { run, pending, blocker },
  label,
  isMain,
}: {
  toAction: TransitionAction;
  label: string;
  isMain: boolean;
}) {
  const t = useTranslations('translations.blocked');
  return (
    <ReasonButton
      variant={isMain ? 'filled' : 'default'}
      onClick={run}
      loading={pending}
      reason={blocker && t(blocker)}
    >
      {label}
    </ReasonButton>
  );
}
