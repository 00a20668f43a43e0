import { ActionIcon, Button, Menu, Text, Tooltip } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useTranslations } from 'use-intl';
import type { Article, Translation } from '../../../sdk/types.ts';
import { IconArchive, IconDots, IconRestore } from '../../components/icons.tsx';
import { useAction } from '../../components/use-action.tsx';
import type { WorkingCopy } from '../../editor/working-copy.ts';
import { useWorkspace } from '../../session.ts';
import { type Blocker, getBlocker, type Transition } from './transitions.ts';
import type { TranslationText } from './translation-fields.tsx';

export type TranslationCopy = WorkingCopy<TranslationText, Translation>;

type TransitionAction = {
  readonly name: Transition;
  readonly run: () => void;
  readonly pending: boolean;
  /** Why it is not possible now. */
  readonly blocker: Blocker | undefined;
};

const NOT_SAVED = new Error('The changes could not be saved.');

/** The transitions of the workflow; each saves pending changes first. */
export function useTranslationActions(copy: TranslationCopy, article: Article) {
  const t = useTranslations('translations');
  const { tenant, tenantId } = useWorkspace();
  const { record, accept, saveNow, state } = copy;
  const changes = [
    ['tenant', tenantId, 'articles'],
    ['tenant', tenantId, 'review-queue'],
  ] as const;
  const saved = async (act: (seen: Translation) => Promise<Translation>) => {
    const seen = await saveNow();
    if (!seen) throw NOT_SAVED;
    return act(seen);
  };
  // The saving status says why.
  const options = { changes, onDone: accept, onError: (error: unknown) => error === NOT_SAVED };
  const submit = useAction(() => saved((seen) => tenant.translations.submit(seen)), {
    ...options,
    done: t('submitted'),
  });
  const approve = useAction(() => tenant.translations.review(record, 'approve'), {
    ...options,
    done: t('approved'),
  });
  const requestChanges = useAction(
    (note: string) => tenant.translations.review(record, 'request_changes', { note }),
    { ...options, done: t('changesRequested') },
  );
  const done = t(article.live ? 'published' : 'publishedButArticle');
  const publish = useAction(() => tenant.translations.publish(record), { ...options, done });
  const archive = useAction(() => tenant.translations.archive(record), { ...options, done: t('archived') });
  const restore = useAction(() => tenant.translations.restore(record), { ...options, done: t('restored') });
  const toAction = (
    name: Transition,
    { mutate, isPending }: { mutate: () => void; isPending: boolean },
  ): TransitionAction => ({
    name,
    run: () => mutate(),
    pending: isPending,
    blocker: getBlocker(name, record, state),
  });
  const actions = {
    submit: toAction('submit', submit),
    approve: toAction('approve', approve),
    publish: toAction('publish', publish),
    archive: toAction('archive', archive),
    restore: toAction('restore', restore),
  };
  const next = [actions.submit, actions.approve, actions.publish, actions.restore].find(
    ({ blocker }) => blocker === undefined,
  );
  return {
    ...actions,
    requestChanges: { run: requestChanges.mutate, pending: requestChanges.isPending },
    next,
  };
}

export type TranslationActionSet = ReturnType<typeof useTranslationActions>;

export function TranslationActions({ actions }: { readonly actions: TranslationActionSet }) {
  const t = useTranslations();
  const { canEdit } = useWorkspace();
  if (!canEdit) return null;
  const { submit, publish, archive, restore } = actions;
  if (restore.blocker === undefined) {
    return (
      <Button
        leftSection={<IconRestore size={16} aria-hidden />}
        onClick={restore.run}
        loading={restore.pending}
      >
        {t('translations.restore')}
      </Button>
    );
  }
  const confirmArchive = () =>
    modals.openConfirmModal({
      title: t('translations.archiveTitle'),
      children: <Text>{t('translations.archiveLead')}</Text>,
      labels: { confirm: t('translations.archive'), cancel: t('shell.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: archive.run,
    });
  return (
    <>
      <ActionButton toAction={submit} label={t('translations.submit')} main={submit.blocker === undefined} />
      <ActionButton
        toAction={publish}
        label={t('translations.publish')}
        main={publish.blocker === undefined}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('articles.more')}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArchive size={16} aria-hidden />} onClick={confirmArchive}>
            {t('translations.archive')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Stays focusable when blocked, so that its reason can be read. */
function ActionButton({
  toAction: { run, pending, blocker },
  label,
  main,
}: {
  readonly toAction: TransitionAction;
  readonly label: string;
  readonly main: boolean;
}) {
  const t = useTranslations('translations.blocked');
  const button = (
    <Button
      variant={main ? 'filled' : 'default'}
      onClick={(event) => (blocker ? event.preventDefault() : run())}
      loading={pending}
      {...(blocker && { 'data-disabled': true, 'aria-disabled': true, 'aria-description': t(blocker) })}
    >
      {label}
    </Button>
  );
  return blocker ? (
    <Tooltip label={t(blocker)} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      {button}
    </Tooltip>
  ) : (
    button
  );
}
