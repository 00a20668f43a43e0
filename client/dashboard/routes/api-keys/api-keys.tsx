import { Button, Paper, Stack, Switch, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ApiKey } from '../../../sdk/types.ts';
import { More, useCursorList } from '../../components/cursor-list.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RegionTable } from '../../components/region-table.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';
import { ForChangersOnly } from '../settings/settings-view.tsx';
import { KeyRow } from './key-row.tsx';
import { NewKey } from './new-key.tsx';
import { type FreshKey, Secret } from './secret.tsx';

export function ApiKeysPage() {
  const t = useTranslations('apiKeys');
  const { mayChange } = useWorkspace();
  const [opened, setOpened] = useState(false);
  const [fresh, setFresh] = useState<FreshKey>();
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        mayChange && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
            {t('new')}
          </Button>
        )
      }
    >
      <ForChangersOnly>
        <Keys made={setFresh} />
        {opened && (
          <NewKey
            close={() => setOpened(false)}
            made={(key) => {
              setOpened(false);
              setFresh(key);
            }}
          />
        )}
        {fresh && <Secret fresh={fresh} close={() => setFresh(undefined)} />}
      </ForChangersOnly>
    </Page>
  );
}

function Keys({ made }: { readonly made: (key: FreshKey) => void }) {
  const t = useTranslations('apiKeys');
  const { tenant, tenantId } = useWorkspace();
  const [showRevoked, setShowRevoked] = useState(false);
  const list = useCursorList(['tenant', tenantId, 'api-keys'], tenant.apiKeys.list());
  if (list.isPending) return <Loading />;
  if (list.isError) return <Trouble error={list.error} retry={list.refetch} />;
  const rows = list.rows.filter(({ revokedAt }) => showRevoked || revokedAt === undefined);
  return (
    <Stack>
      {rows.length === 0 ? <NothingYet /> : <KeyTable rows={rows} made={made} />}
      {(showRevoked || rows.length < list.rows.length) && (
        <Switch
          label={t('showRevoked')}
          checked={showRevoked}
          onChange={(event) => setShowRevoked(event.currentTarget.checked)}
        />
      )}
      <More list={list} />
    </Stack>
  );
}

function KeyTable({
  rows,
  made,
}: {
  readonly rows: readonly ApiKey[];
  readonly made: (key: FreshKey) => void;
}) {
  const t = useTranslations('apiKeys');
  return (
    <Paper withBorder>
      <RegionTable
        caption={t('caption')}
        minWidth={760}
        horizontalSpacing="lg"
        columns={[t('key'), t('scopes'), t('made'), t('lastUsed'), t('status'), t('actions')]}
      >
        {rows.map((row) => (
          <KeyRow key={row.id} apiKey={row} made={made} />
        ))}
      </RegionTable>
    </Paper>
  );
}

function NothingYet() {
  const t = useTranslations('apiKeys');
  return (
    <Paper withBorder p="xl">
      <Stack gap="xs">
        <Text fw={600} size="lg">
          {t('empty')}
        </Text>
        <Text>{t('emptyLead')}</Text>
      </Stack>
    </Paper>
  );
}
