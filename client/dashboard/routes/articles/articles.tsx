import { Alert, Anchor, Button, Group, Paper, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFilePlus, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { ArticleFilters } from '../../../sdk/types.ts';
import { More, useCursorList } from '../../components/cursor-list.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { languageNames } from '../../language.ts';
import { useWorkspace } from '../../session.ts';
import { ArticleRow } from './article-row.tsx';
import { Legend } from './legend.tsx';

export function ArticlesPage() {
  const t = useTranslations('articles');
  const { mayChange, tenantId } = useWorkspace();
  return (
    <Page
      title={t('title')}
      lead={t('lead')}
      actions={
        mayChange && (
          <Button
            component={Link}
            to={`/w/${tenantId}/articles/new`}
            leftSection={<IconFilePlus size={18} aria-hidden />}
          >
            {t('new')}
          </Button>
        )
      }
    >
      <ArticleList />
    </Page>
  );
}

const STATUSES = ['draft', 'published', 'unpublished'] as const;

function ArticleList() {
  const t = useTranslations();
  const name = languageNames(useLocale());
  const { tenant, tenantId } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 250);
  const [status, setStatus] = useState<string | null>(null);
  const [deps, setDeps] = useState<string | null>(null);
  const coverage = useQuery({
    queryKey: ['tenant', tenantId, 'articles', 'coverage'],
    queryFn: ({ signal }) => tenant.articles.coverage({ signal }),
  });
  const filters = { ...(q && { q }), ...(status && { status }), ...filterOf(deps) } as ArticleFilters;
  const list = useCursorList(
    ['tenant', tenantId, 'articles', 'list', filters],
    tenant.articles.list(filters),
  );
  const { rows } = list;
  const locales = [
    ...new Set([
      ...(coverage.data?.locales ?? []).map(({ locale }) => locale),
      ...rows.flatMap(({ translations }) => translations.map(({ locale }) => locale)),
    ]),
  ].sort();
  const filtered = q !== '' || status !== null || deps !== null;
  const clear = () => {
    setTyped('');
    setStatus(null);
    setDeps(null);
  };

  if (list.isPending) return <Loading />;
  if (list.isError) return <Trouble error={list.error} retry={list.refetch} />;
  if (rows.length === 0 && !filtered) return <NothingYet />;
  return (
    <Stack>
      <Group role="search" align="flex-end" gap="sm">
        <TextInput
          label={t('articles.search')}
          type="search"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          className="grow"
        />
        <Select
          label={t('articles.status')}
          placeholder={t('articles.anyStatus')}
          clearable
          value={status}
          onChange={setStatus}
          data={STATUSES.map((value) => ({ value, label: t(`statuses.article.${value}`) }))}
        />
        <Select
          label={t('articles.needs')}
          placeholder={t('articles.needsNothing')}
          clearable
          searchable
          value={deps}
          onChange={setDeps}
          data={[
            { value: 'changed', label: t('articles.needsChanged') },
            { value: 'stale', label: t('articles.needsStale') },
            { value: 'review', label: t('articles.needsReview') },
            ...locales.map((locale) => ({
              value: `missing:${locale}`,
              label: t('articles.needsMissing', { language: name(locale) }),
            })),
          ]}
        />
      </Group>
      {rows.length === 0 ? (
        <Alert title={t('articles.nothingFound')} color="gray" role="status">
          <Stack gap="xs" align="flex-start">
            <Text>{t('articles.nothingFoundLead')}</Text>
            <Button variant="default" onClick={clear}>
              {t('articles.clear')}
            </Button>
          </Stack>
        </Alert>
      ) : (
        <>
          <Table.ScrollContainer minWidth={480 + locales.length * 44}>
            <Table verticalSpacing="sm" highlightOnHover aria-busy={list.isFetching}>
              <caption className="unseen">{t('articles.caption')}</caption>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">{t('articles.column')}</Table.Th>
                  <Table.Th scope="col">{t('articles.status')}</Table.Th>
                  {locales.map((locale) => (
                    <Table.Th scope="col" key={locale} ta="center">
                      <abbr title={name(locale)}>{locale}</abbr>
                    </Table.Th>
                  ))}
                  <Table.Th scope="col">{t('articles.updated')}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {rows.map((article) => (
                  <ArticleRow key={article.id} article={article} locales={locales} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          <More list={list} />
          <Legend />
        </>
      )}
    </Stack>
  );
}

function filterOf(deps: string | null): Partial<ArticleFilters> {
  if (deps === 'changed') return { changed: true };
  if (deps === 'stale') return { stale: true };
  if (deps === 'review') return { translationStatus: 'in_review' };
  return deps?.startsWith('missing:') ? { missing: deps.slice('missing:'.length) } : {};
}

function NothingYet() {
  const t = useTranslations('articles');
  const { mayChange, tenantId } = useWorkspace();
  return (
    <Paper withBorder p="xl">
      <Stack align="flex-start">
        <Text fw={600} size="lg">
          {t('empty')}
        </Text>
        <Text>{t('emptyLead')}</Text>
        {mayChange ? (
          <Button component={Link} to={`/w/${tenantId}/articles/new`}>
            {t('new')}
          </Button>
        ) : (
          <Anchor component={Link} to={`/w/${tenantId}`}>
            {t('readOnly')}
          </Anchor>
        )}
      </Stack>
    </Paper>
  );
}
