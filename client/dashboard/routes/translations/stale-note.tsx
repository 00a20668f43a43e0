import { Alert, Button, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Translation } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import type { WorkingCopy } from '../../editor/working-copy.ts';
import { useWorkspace } from '../../session.ts';
import { contentOf, type TranslationText } from './translation-fields.tsx';

/** The original moved on. Saving the text holds it against the original as it is now, changed or not. */
export function StaleNote({ copy }: { readonly copy: WorkingCopy<TranslationText, Translation> }) {
  const t = useTranslations('translations');
  const { tenant, tenantId, mayChange } = useWorkspace();
  const confirm = useStep(() => tenant.translations.edit(copy.record, contentOf(copy.content)), {
    changes: [['tenant', tenantId, 'articles']],
    done: t('stillRightDone'),
    onDone: copy.accept,
  });
  return (
    <Alert color="orange" title={t('staleTitle')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('staleLead')}</Text>
        {mayChange && (
          <Button variant="default" onClick={() => confirm.mutate()} loading={confirm.isPending}>
            {t('stillRight')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
