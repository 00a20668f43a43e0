import { Badge, Button, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ReviewQueueFilters, ReviewTask } from '../../sdk/types.ts';
import { MemberName, RelativeTime } from '../components/attribution.tsx';
import { LanguageProgress } from '../components/language-progress.tsx';
import { PageLink } from '../components/links.tsx';
import { LoadMore, useCursorList } from '../components/list.tsx';
import { EmptyState, ErrorMessage, Loading, Page } from '../components/page.tsx';
import { asCardsWhenNarrow, ColumnHeadings } from '../components/region-table.tsx';
import { languageNames } from '../languages.ts';

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;
type Kind = (typeof KINDS)[number];

type Whose = 'me' | 'everybody';

export default function ReviewQueuePage() {
  const t = useTranslations('reviewQueue');
  const [whose, setWhose] = useState<Whose>('me');
  const [kind, setKind] = useState<Kind | 'all'>('all');
  const filters: ReviewQueueFilters = { for: whose, ...(kind !== 'all' && { kind }) };
  const list = useCursorList(['review-queue', filters], (tenant) => tenant.translations.reviewQueue(filters));
  const counts = list.data?.pages[0]?.counts;
  const kindLabel = (value: Kind) => {
    const name = t(`kinds.${value}`);
    return counts ? t('count', { name, count: counts[value] }) : name;
  };
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Group>
        <SegmentedControl
          aria-label={t('whose')}
          value={whose}
          onChange={(value) => setWhose(value as Whose)}
          data={[
            { value: 'me', label: t('mine') },
            { value: 'everybody', label: t('everyone') },
          ]}
        />
        <SegmentedControl
          aria-label={t('kind')}
          className="wrapping"
          value={kind}
          onChange={(value) => setKind(value as typeof kind)}
          data={[
            { value: 'all', label: t('all') },
            ...KINDS.map((value) => ({ value, label: kindLabel(value) })),
          ]}
        />
      </Group>
      {list.isPending ? (
        <Loading shape="table" />
      ) : list.isError ? (
        <ErrorMessage error={list.error} retry={list.refetch} />
      ) : list.rows.length === 0 ? (
        <NoTasks whose={whose} showEveryone={() => setWhose('everybody')} />
      ) : (
        <Stack>
          <Queue rows={list.rows} />
          <LoadMore list={list} />
        </Stack>
      )}
      <LanguageProgress />
    </Page>
  );
}

type NoTasksProps = { whose: Whose; showEveryone: () => void };

function NoTasks({ whose, showEveryone }: NoTasksProps) {
  const t = useTranslations('reviewQueue');
  return (
    <div role="status">
      <EmptyState title={t('empty')} lead={t(whose === 'me' ? 'emptyMine' : 'emptyAll')}>
        {whose === 'me' ? (
          <Button variant="default" onClick={showEveryone}>
            {t('showEveryone')}
          </Button>
        ) : (
          <PageLink to="/articles">{t('toArticles')}</PageLink>
        )}
      </EmptyState>
    </div>
  );
}

function Queue({ rows }: { rows: readonly ReviewTask[] }) {
  const t = useTranslations('reviewQueue');
  const name = languageNames(useLocale());
  const columns = [t('kind'), t('article'), t('language'), t('since'), t('by')];
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table verticalSpacing="sm" highlightOnHover {...asCardsWhenNarrow(columns)}>
        <caption className="unseen">{t('caption')}</caption>
        <ColumnHeadings columns={columns} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.kind}:${row.translationId}`}>
              <Table.Td>
                <Badge variant="outline" color="gray" className="status-gray" tt="none">
                  {t(`kinds.${row.kind}`)}
                </Badge>
              </Table.Td>
              <Table.Th scope="row" fw={400}>
                <PageLink to={`/articles/${row.articleId}/translations/${row.locale}`} dir="auto" fw={600}>
                  {row.articleTitle}
                </PageLink>
                {row.reviewNote && (
                  <Text size="sm" dir="auto" className="wrap">
                    {row.reviewNote}
                  </Text>
                )}
              </Table.Th>
              <Table.Td>{name(row.locale)}</Table.Td>
              <Table.Td className="nowrap">
                <RelativeTime at={row.since} />
              </Table.Td>
              <Table.Td>
                <MemberName id={row.by} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
