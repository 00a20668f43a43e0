import { ActionIcon, Button, Menu, Text, Tooltip } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconArchive, IconDots, IconRestore } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { Article, Translation } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import type { WorkingCopy } from '../../editor/working-copy.ts';
import { useWorkspace } from '../../session.ts';
import { type Hindrance, hindrance, type Step } from './steps.ts';
import type { TranslationText } from './translation-fields.tsx';

export type Copy = WorkingCopy<TranslationText, Translation>;

export type TakenStep = {
  readonly name: Step;
  readonly take: () => void;
  readonly pending: boolean;
  /** Why it can't be taken now. */
  readonly why: Hindrance | undefined;
};

/** The steps of the workflow; each acts on what is typed, once it is saved. */
export function useTranslationSteps(copy: Copy, article: Article) {
  const t = useTranslations('translations');
  const { tenant, tenantId } = useWorkspace();
  const { record, accept, saveNow, state } = copy;
  const changes = [
    ['tenant', tenantId, 'articles'],
    ['tenant', tenantId, 'waiting'],
  ] as const;
  const onDone = (answer: Translation | undefined) => answer && accept(answer);
  const saved = async (act: (seen: Translation) => Promise<Translation>) => {
    const seen = await saveNow();
    return seen && (await act(seen));
  };
  const submit = useStep(() => saved((seen) => tenant.translations.submit(seen)), {
    changes,
    onDone,
    done: t('submitted'),
  });
  const approve = useStep(() => tenant.translations.review(record, 'approve'), {
    changes,
    onDone,
    done: t('approved'),
  });
  const requestChanges = useStep(
    (note: string) => tenant.translations.review(record, 'request_changes', { note }),
    { changes, onDone, done: t('changesRequested') },
  );
  const publish = useStep(() => tenant.translations.publish(record), {
    changes,
    onDone,
    done: t(article.live ? 'published' : 'publishedButArticle'),
  });
  const archive = useStep(() => tenant.translations.archive(record), {
    changes,
    onDone,
    done: t('archived'),
  });
  const restore = useStep(() => tenant.translations.restore(record), {
    changes,
    onDone,
    done: t('restored'),
  });
  const step = (
    name: Step,
    { mutate, isPending }: { mutate: () => void; isPending: boolean },
  ): TakenStep => ({
    name,
    take: () => mutate(),
    pending: isPending,
    why: hindrance(name, record, state),
  });
  const ways = {
    submit: step('submit', submit),
    approve: step('approve', approve),
    publish: step('publish', publish),
    archive: step('archive', archive),
    restore: step('restore', restore),
  };
  const next = [ways.submit, ways.approve, ways.publish, ways.restore].find(({ why }) => why === undefined);
  return {
    ...ways,
    requestChanges: { take: requestChanges.mutate, pending: requestChanges.isPending },
    next,
  };
}

export type Steps = ReturnType<typeof useTranslationSteps>;

/** The way to visitors, left to right; a step that can't be taken says why. */
export function TranslationSteps({ steps }: { readonly steps: Steps }) {
  const t = useTranslations();
  const { mayChange } = useWorkspace();
  if (!mayChange) return null;
  const { submit, publish, archive, restore } = steps;
  if (restore.why === undefined) {
    return (
      <Button
        leftSection={<IconRestore size={16} aria-hidden />}
        onClick={restore.take}
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
      onConfirm: archive.take,
    });
  return (
    <>
      <StepButton step={submit} label={t('translations.submit')} main={submit.why === undefined} />
      <StepButton step={publish} label={t('translations.publish')} main={publish.why === undefined} />
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

/** Stays where the focus finds it when it can't be pressed, so that its reason can be read. */
function StepButton({
  step: { take, pending, why },
  label,
  main,
}: {
  readonly step: TakenStep;
  readonly label: string;
  readonly main: boolean;
}) {
  const t = useTranslations('translations.why');
  const button = (
    <Button
      variant={main ? 'filled' : 'default'}
      onClick={(event) => (why ? event.preventDefault() : take())}
      loading={pending}
      {...(why && { 'data-disabled': true, 'aria-disabled': true, 'aria-description': t(why) })}
    >
      {label}
    </Button>
  );
  return why ? (
    <Tooltip label={t(why)} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      {button}
    </Tooltip>
  ) : (
    button
  );
}
