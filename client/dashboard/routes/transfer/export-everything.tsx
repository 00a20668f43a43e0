import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useFormatter, useTranslations } from 'use-intl';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';
import { useLeaveGuard } from '../settings/leave-guard.tsx';
import { Card } from '../settings/settings-card.tsx';
import { type ExportState, useExport } from './use-export.ts';

export function ExportEverything() {
  const t = useTranslations('data');
  const s = useTranslations('shell');
  const { tenant, name } = useWorkspace();
  const { state, start, cancel } = useExport(tenant, fileName(name));
  const running = state.is === 'running';
  useLeaveGuard(running, { why: t('exporting') });
  return (
    <Card title={t('export')} lead={t('exportLead')}>
      {running && <Progress value={100} animated aria-label={t('exporting')} />}
      <div role="status">
        <Standing state={state} />
      </div>
      {state.is === 'broken' && <Trouble error={state.error} retry={start} />}
      <Group>
        {running ? (
          <Button variant="default" onClick={cancel}>
            {s('cancel')}
          </Button>
        ) : (
          <Button leftSection={<IconDownload size={16} aria-hidden />} onClick={start}>
            {t('start')}
          </Button>
        )}
      </Group>
    </Card>
  );
}

function Standing({ state }: { readonly state: ExportState }) {
  const t = useTranslations('data');
  const format = useFormatter();
  if (state.is === 'cancelled') return <Text size="sm">{t('cancelled')}</Text>;
  if (state.is !== 'running' && state.is !== 'done') return null;
  const { count, chars, file } = state;
  const [amount, unit] = chars < 1e6 ? [chars / 1e3, 'kilobyte'] : [chars / 1e6, 'megabyte'];
  const size = format.number(amount, { style: 'unit', unit, maximumFractionDigits: 1 });
  return (
    <Stack gap={2}>
      <Text size="sm">{state.is === 'done' ? t('done', { count, file }) : t('running', { count })}</Text>
      {state.is === 'running' && (
        <Text size="sm" c="dimmed">
          {t('size', { size })}
        </Text>
      )}
    </Stack>
  );
}

/** Of the workspace's name what every file system takes. */
function fileName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return `guidepost-${plain || 'workspace'}-${new Date().toISOString().slice(0, 10)}.ndjson`;
}
