import { ActionIcon, Button, Menu, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconArchiveOff, IconDots, IconHistory, IconTrash, IconWorldUpload } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Article } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import { dropDraft } from '../../editor/draft.ts';
import type { WorkingCopy } from '../../editor/working-copy.ts';
import { useWorkspace } from '../../session.ts';
import type { ArticleText } from './article-fields.tsx';

type Copy = WorkingCopy<ArticleText, Article>;

/** What can be done with an article; each step acts on what is typed, once it is saved. */
export function useArticleSteps(copy: Copy) {
  const t = useTranslations('articles');
  const { tenant, tenantId, mayChange } = useWorkspace();
  const navigate = useNavigate();
  const changes = [['tenant', tenantId, 'articles']] as const;
  const { record, accept, saveNow, state } = copy;
  const publish = useStep(
    async () => {
      const saved = await saveNow();
      return saved && (await tenant.articles.publish(saved));
    },
    {
      changes,
      onDone: (article) => article && accept(article),
      done: t('published'),
    },
  );
  const unpublish = useStep(() => tenant.articles.unpublish(record), {
    changes,
    onDone: accept,
    done: t('unpublished'),
  });
  const remove = useStep(() => tenant.articles.delete(record.id), {
    done: t('deleted'),
    onDone: async () => {
      dropDraft(record.id);
      await navigate({ to: `/w/${tenantId}/articles` });
    },
    changes: [[...changes[0], 'list']],
  });
  const newer = record.status !== 'published' || record.live?.changed === true || state !== 'saved';
  const canPublish = mayChange && newer && state !== 'conflict' && state !== 'incomplete';
  return { publish, unpublish, remove, canPublish };
}

export function ArticleActions({
  copy,
  steps,
}: {
  readonly copy: Copy;
  readonly steps: ReturnType<typeof useArticleSteps>;
}) {
  const t = useTranslations();
  const { mayChange, tenantId } = useWorkspace();
  const { record } = copy;
  const live = record.status === 'published';
  const history = (
    <Button
      variant="default"
      component={Link}
      to={`/w/${tenantId}/articles/${record.id}/history`}
      leftSection={<IconHistory size={16} aria-hidden />}
    >
      {t('articles.history')}
    </Button>
  );
  if (!mayChange) return history;
  const ask = (what: 'unpublish' | 'delete', step: () => void) =>
    modals.openConfirmModal({
      title: t(`articles.${what}Title`),
      children: <Text>{t(`articles.${what}Lead`, { count: record.translations.length })}</Text>,
      labels: { confirm: t(`articles.${what}`), cancel: t('shell.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: step,
    });
  return (
    <>
      {history}
      <Button
        leftSection={<IconWorldUpload size={16} aria-hidden />}
        onClick={() => steps.publish.mutate()}
        loading={steps.publish.isPending}
        disabled={!steps.canPublish}
        title={steps.canPublish ? undefined : t('articles.upToDate')}
      >
        {t(live ? 'articles.publishChanges' : 'articles.publish')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('articles.more')}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {live && (
            <Menu.Item
              leftSection={<IconArchiveOff size={16} aria-hidden />}
              onClick={() => ask('unpublish', () => steps.unpublish.mutate())}
            >
              {t('articles.unpublish')}
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => ask('delete', () => steps.remove.mutate())}
          >
            {t('articles.delete')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
