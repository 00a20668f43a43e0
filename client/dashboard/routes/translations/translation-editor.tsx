import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useLocale, useTranslations } from 'use-intl';
import type { Article, Translation, TranslationDetail } from '../../../sdk/types.ts';
import { StandingBadge } from '../../components/coverage.tsx';
import { Conflict } from '../../editor/conflict.tsx';
import { SavingNote } from '../../editor/saving-note.tsx';
import { Shortcuts } from '../../editor/shortcuts.tsx';
import { useWorkingCopy } from '../../editor/working-copy.ts';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { ReviewPanel } from './review-panel.tsx';
import { Source } from './source.tsx';
import { StaleNote } from './stale-note.tsx';
import {
  contentOf,
  isComplete,
  TranslationFields,
  textOf,
  useTranslationFields,
} from './translation-fields.tsx';
import { TranslationFrame } from './translation-frame.tsx';
import { TranslationHistory } from './translation-history.tsx';
import { TranslationSteps, useTranslationSteps } from './translation-steps.tsx';

type EditorProps = { readonly article: Article; readonly translation: TranslationDetail };

export function TranslationEditor({ article, translation }: EditorProps) {
  const t = useTranslations('translations');
  const name = languageNames(useLocale());
  const { tenant, tenantId, mayChange } = useWorkspace();
  const queries = useQueryClient();
  const fields = useTranslationFields();
  const copy = useWorkingCopy<ReturnType<typeof textOf>, Translation>({
    key: translation.id,
    record: translation,
    contentOf: textOf,
    isComplete,
    save: (seen, text) => tenant.translations.edit(seen, contentOf(text)),
    read: () => tenant.translations.read(article.id, translation.id),
    // The article's own row tells how its languages stand; the revisions are read again with it.
    onSaved: () => void queries.invalidateQueries({ queryKey: ['tenant', tenantId, 'articles'] }),
  });
  const steps = useTranslationSteps(copy, article);
  useHotkeys(
    [
      ['mod+S', () => void copy.saveNow()],
      ['mod+Enter', () => steps.next?.take()],
    ],
    [],
  );
  const { record, state } = copy;
  const { status, locale } = record;
  const lead = status in EDITING_LEADS ? t(`editingLead.${status as keyof typeof EDITING_LEADS}`) : undefined;
  return (
    <TranslationFrame
      article={article}
      locale={locale}
      lead={
        <>
          <StandingBadge standing={status === 'published' ? 'live' : status} />
          {record.stale && <StandingBadge standing="stale" />}
          {mayChange && <SavingNote copy={copy} />}
        </>
      }
      actions={
        <>
          <Shortcuts />
          <TranslationSteps steps={steps} />
        </>
      }
      above={
        <>
          <Conflict copy={copy} contentOf={textOf} fields={fields} locale={locale} />
          {record.stale && status !== 'archived' && <StaleNote copy={copy} />}
          <ReviewPanel copy={copy} steps={steps} />
        </>
      }
      source={
        <Source article={article} current={record.currentSourceRevision} madeFor={record.sourceRevision} />
      }
      below={<TranslationHistory translation={translation} />}
    >
      <Paper withBorder p="lg">
        <Stack>
          <Group justify="space-between">
            <Title order={2} size="h4">
              {t('text', { language: name(locale) })}
            </Title>
          </Group>
          <Text size="sm" c="dimmed">
            {liveText(record, t)}
          </Text>
          {mayChange && lead && (state === 'typing' || state === 'saving' || status !== 'published') && (
            <Alert color="blue" variant="light">
              {lead}
            </Alert>
          )}
          <TranslationFields
            text={copy.content}
            change={copy.change}
            locale={locale}
            readOnly={!mayChange || status === 'archived'}
          />
        </Stack>
      </Paper>
    </TranslationFrame>
  );
}

/** The statuses in which an edit does more than to edit. */
const EDITING_LEADS = { in_review: true, approved: true, published: true, changes_requested: true } as const;

function liveText(
  { live, status }: Translation,
  t: ReturnType<typeof useTranslations<'translations'>>,
): string {
  if (status === 'archived') return t('archivedLead');
  if (!live) return t('notLive');
  return t(live.stale ? 'liveStale' : 'live', { revision: live.revision });
}
