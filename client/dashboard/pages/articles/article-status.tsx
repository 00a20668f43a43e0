import { Badge, Group } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { ArticleSummary } from '../../../records.ts';

const COLOURS = { draft: 'gray', published: 'green', unpublished: 'gray' } as const;

/** Whether visitors are served it, and whether there is something newer than what they are served. */
export function ArticleStatus({ article }: { readonly article: Pick<ArticleSummary, 'status' | 'changed'> }) {
  const t = useTranslations('statuses');
  const { status, changed } = article;
  return (
    <Group gap={4}>
      <Badge variant="light" color={COLOURS[status]} className={`standing-${COLOURS[status]}`} tt="none">
        {t(`article.${status}`)}
      </Badge>
      {changed && (
        <Badge variant="light" color="orange" className="standing-orange" tt="none">
          {t('changed')}
        </Badge>
      )}
    </Group>
  );
}
