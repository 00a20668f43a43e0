import { Anchor, Badge, Group, Paper, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { WaitingFilters, WaitingTranslation } from '../../../sdk/types.ts';
import { ColumnHeadings } from '../../components/column-headings.tsx';
import { More, useCursorList } from '../../components/cursor-list.tsx';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { Person } from '../../components/person.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;
type Kind = (typeof KINDS)[number];

/** The queue: who waits for whom, and for how long. */
export function WaitingPage() {
  const t = useTranslations();
  const { tenant, tenantId } = useWorkspace();
  const [whose, setWhose] = useState<'me' | 'everybody'>('me');
  const [kind, setKind] = useState<Kind | 'all'>('all');
  const filters: WaitingFilters = { for: whose, ...(kind !== 'all' && { kind }) };
  const list = useCursorList(['tenant', tenantId, 'waiting', filters], tenant.translations.waiting(filters));
  const { rows } = list;
  const counts = list.data?.pages[0]?.counts;
  return (
    <Page title={t('waiting.title')} lead={t('waiting.lead')}>
      <Group>
        <SegmentedControl
          aria-label={t('waiting.whose')}
          value={whose}
          onChange={(value) => setWhose(value as typeof whose)}
          data={[
            { value: 'me', label: t('waiting.mine') },
            { value: 'everybody', label: t('waiting.everybody') },
          ]}
        />
        <SegmentedControl
          aria-label={t('waiting.kind')}
          className="wrapping"
          value={kind}
          onChange={(value) => setKind(value as typeof kind)}
          data={[
            { value: 'all', label: t('waiting.all') },
            ...KINDS.map((value) => ({
              value,
              label: counts
                ? t('waiting.count', { name: t(`waiting.kinds.${value}`), count: counts[value] })
                : t(`waiting.kinds.${value}`),
            })),
          ]}
        />
      </Group>
      {list.isPending ? (
        <Loading />
      ) : list.isError ? (
        <Trouble error={list.error} retry={list.refetch} />
      ) : rows.length === 0 ? (
        <Paper withBorder p="xl" role="status">
          <Text fw={600}>{t('waiting.nothing')}</Text>
          <Text>{t(whose === 'me' ? 'waiting.nothingMine' : 'waiting.nothingAtAll')}</Text>
        </Paper>
      ) : (
        <Stack>
          <Queue rows={rows} />
          <More list={list} />
        </Stack>
      )}
    </Page>
  );
}

function Queue({ rows }: { readonly rows: readonly WaitingTranslation[] }) {
  const t = useTranslations('waiting');
  const name = languageNames(useLocale());
  const { tenantId } = useWorkspace();
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm" highlightOnHover>
        <caption className="unseen">{t('caption')}</caption>
        <ColumnHeadings columns={[t('kind'), t('article'), t('language'), t('since'), t('by')]} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.kind}:${row.translationId}`}>
              <Table.Td>
                <Badge variant="outline" color="gray" className="standing-gray" tt="none">
                  {t(`kinds.${row.kind}`)}
                </Badge>
              </Table.Td>
              <Table.Th scope="row" fw={400}>
                <Anchor
                  component={Link}
                  to={`/w/${tenantId}/articles/${row.articleId}/translations/${row.locale}`}
                  dir="auto"
                  fw={600}
                >
                  {row.articleTitle}
                </Anchor>
                {row.reviewNote && (
                  <Text size="sm" dir="auto" className="wrap">
                    {row.reviewNote}
                  </Text>
                )}
              </Table.Th>
              <Table.Td>{name(row.locale)}</Table.Td>
              <Table.Td className="nowrap">
                <Moment at={row.since} />
              </Table.Td>
              <Table.Td>
                <Person id={row.by} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
