import { Group } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { ArticleSummary } from '../../../sdk/types.ts';
import { Mark } from '../../components/mark.tsx';

const COLOURS = { draft: 'gray', published: 'green', unpublished: 'gray' } as const;

/** Whether visitors are served it, and whether there is something newer than what they are served. */
export function ArticleStatus({ article }: { readonly article: Pick<ArticleSummary, 'status' | 'changed'> }) {
  const t = useTranslations('statuses');
  const { status, changed } = article;
  return (
    <Group gap={4}>
      <Mark color={COLOURS[status]}>{t(`article.${status}`)}</Mark>
      {changed && <Mark color="orange">{t('changed')}</Mark>}
    </Group>
  );
}
