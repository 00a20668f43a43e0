import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { ArticleSummary } from '../../sdk/types.ts';
import { RelativeTime, useActorValues } from '../components/attribution.tsx';
import { ButtonLink } from '../components/links.tsx';
import { Loaded } from '../components/loading.tsx';
import { Heading, Muted } from '../components/page.tsx';
import { Markdown } from '../editor/markdown.tsx';
import { useArticle, useWorkspace } from '../session.ts';
import { useConfirmRight } from './articles/verify.tsx';

/** Shows an article that is due for verification. */
export type VerifyTask = { kind: 'verify'; article: ArticleSummary };

type TaskProps = { task: VerifyTask };

export function VerifyItem({ task: { article } }: TaskProps) {
  const t = useTranslations('reviewQueue');
  return (
    <>
      <Text span truncate fw={500} dir="auto" display="block">
        {article.title}
      </Text>
      <Muted span>
        {t('kinds.verify')} · <RelativeTime at={article.verify?.after ?? article.updatedAt} />
      </Muted>
    </>
  );
}

/** The text of the article, with one click to confirm it. */
export function VerifyDetail({ task: { article: summary } }: TaskProps) {
  const t = useTranslations();
  const { canEdit } = useWorkspace();
  const article = useArticle(summary.id);
  const confirm = useConfirmRight();
  const actorValues = useActorValues();
  const { id, title, locale, verify } = summary;
  return (
    <Stack>
      <Heading dir="auto" lang={locale}>
        {title}
      </Heading>
      {verify && (
        <Muted component="div">
          {t('reviewQueue.kinds.verify')} · {t.rich('verify.checked', actorValues(verify.checkedBy))} ·{' '}
          <RelativeTime at={verify.checkedAt} />
        </Muted>
      )}
      <Group gap="xs">
        {canEdit && (
          <Button loading={confirm.isPending} onClick={() => confirm.mutate(summary)}>
            {t('verify.stillRight')}
          </Button>
        )}
        <ButtonLink variant="default" to={`/articles/${id}`}>
          {t('reviewQueue.openArticle', { title })}
        </ButtonLink>
      </Group>
      <Loaded query={article}>{({ answer }) => <Markdown text={answer} locale={locale} />}</Loaded>
    </Stack>
  );
}
