import { Anchor, List, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Loading } from '../../components/loading.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useWorkspace } from '../../session.ts';

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;

export function WaitingCard() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const waiting = useQuery({
    queryKey: ['tenant', tenantId, 'waiting', 'mine'],
    queryFn: ({ signal }) => tenant.translations.waiting({ for: 'me' }).page(undefined, { signal }),
  });
  const rows = waiting.data?.data ?? [];
  const kinds = KINDS.map((kind) => ({ kind, count: rows.filter((row) => row.kind === kind).length }));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('overview.waitingTitle')}
        </Title>
        {waiting.isPending && <Loading />}
        {waiting.isError && <Trouble error={waiting.error} retry={waiting.refetch} />}
        {waiting.data &&
          (rows.length === 0 ? (
            <Text>{t('overview.nothingWaits')}</Text>
          ) : (
            <>
              <List>
                {kinds
                  .filter(({ count }) => count > 0)
                  .map(({ kind, count }) => (
                    <List.Item key={kind}>
                      {t('waiting.count', { name: t(`waiting.kinds.${kind}`), count })}
                    </List.Item>
                  ))}
              </List>
              <Anchor component={Link} to={`/w/${tenantId}/waiting`}>
                {t('overview.toWaiting')}
              </Anchor>
            </>
          ))}
      </Stack>
    </Paper>
  );
}
