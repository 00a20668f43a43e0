import { Accordion, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import type { TranslationDetail } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import { type TranslationText, useTranslationFields } from './translation-fields.tsx';

/** What compares is fetched by whoever opens the history. */
const Revisions = lazy(async () => ({
  default: (await import('../../editor/revisions.tsx')).Revisions<TranslationText>,
}));

/** Every step that the translation took, and what differs between any two. */
export function TranslationHistory({ translation }: { readonly translation: TranslationDetail }) {
  const t = useTranslations('translations');
  const fields = useTranslationFields();
  const { revisions, revisionCount, locale } = translation;
  const versions = revisions.map((row) => ({
    revision: row.revision,
    what: t(`event.${row.event}`),
    at: row.createdAt,
    by: row.reviewerId ?? row.authorId,
    note: row.reviewNote,
    content: row.content,
  }));
  return (
    <Accordion variant="contained" order={2} keepMounted={false}>
      <Accordion.Item value="history">
        <Accordion.Control>{t('history')}</Accordion.Control>
        <Accordion.Panel>
          <Suspense fallback={<Loading />}>
            <Revisions
              versions={versions}
              fields={fields}
              locale={locale}
              more={
                revisionCount > revisions.length && (
                  <Text size="sm" c="dimmed">
                    {t('newestOnly', { shown: revisions.length, all: revisionCount })}
                  </Text>
                )
              }
            />
          </Suspense>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
