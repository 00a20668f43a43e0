import { Anchor, Grid, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { Article } from '../../../sdk/types.ts';
import { Page } from '../../components/page.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';

type FrameProps = {
  readonly article: Article;
  readonly locale: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly above?: ReactNode;
  readonly source: ReactNode;
  readonly below?: ReactNode;
  readonly children: ReactNode;
};

/** The two sides, and on a narrow screen one above the other. */
export function TranslationFrame({
  article,
  locale,
  lead,
  actions,
  above,
  source,
  below,
  children,
}: FrameProps) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  return (
    <Page
      title={t('titleOf', { title: article.title, language: name(locale) })}
      lead={
        <Group gap="sm">
          <Anchor component={Link} to={`/w/${tenantId}/articles/${article.id}`} size="sm">
            {t('back')}
          </Anchor>
          {lead}
        </Group>
      }
      actions={actions}
    >
      {above}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>{source}</Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>{children}</Grid.Col>
      </Grid>
      {below}
    </Page>
  );
}
