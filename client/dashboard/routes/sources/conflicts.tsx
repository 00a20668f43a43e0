import { Button, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { listSourceConflicts, resolveSourceConflicts } from '../../../../generated/routes.ts';
import type {
  SourceConflict,
  SourceConflictChoice,
  SourceConflictText,
} from '../../../../generated/types.ts';
import { RelativeTime } from '../../components/attribution.tsx';
import { ArticleTextLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { EmptyState, ErrorPage, Heading, Muted, Page } from '../../components/page.tsx';
import { List, useCursorList } from '../../components/table.tsx';
import { useAction } from '../../components/use-action.tsx';
import { TextDiff } from '../../editor/conflict.tsx';
import { languageNames } from '../../languages.ts';
import { useWorkspace } from '../../session.ts';
import { useSource, useSourceError } from './source-queries.ts';

export default function ConflictsPage() {
  const t = useTranslations('sources');
  const { sourceId = '' } = useParams({ strict: false });
  const source = useSource(sourceId);
  if (source.isPending) return <Loading shape="page" />;
  if (source.isError) return <ErrorPage title={t('conflicts')} error={source.error} retry={source.refetch} />;
  const { name } = source.data;
  return (
    <Page
      title={t('conflictsOf', { name })}
      lead={t('conflictsPageLead')}
      crumbs={[
        { label: t('title'), to: '/sources' },
        { label: name, to: `/sources/${sourceId}` },
      ]}
    >
      <ConflictList sourceId={sourceId} />
    </Page>
  );
}

function ConflictList({ sourceId }: { sourceId: string }) {
  const t = useTranslations('sources');
  const list = useCursorList(['sources', sourceId, 'conflicts'], (tenant) => ({
    page: (cursor, { signal }) =>
      tenant.call(listSourceConflicts, {
        params: { sourceId },
        query: { cursor },
        signal,
      }),
  }));
  return (
    <List list={list} empty={<EmptyState title={t('noConflicts')} lead={t('noConflictsLead')} />}>
      {(rows) => (
        <Stack component="ul" className="plain-list">
          {rows.map((conflict) => (
            <ConflictCard
              key={`${conflict.place} ${conflict.locale}`}
              sourceId={sourceId}
              conflict={conflict}
            />
          ))}
        </Stack>
      )}
    </List>
  );
}

type ConflictCardProps = { sourceId: string; conflict: SourceConflict };

/** Both texts side by side, what differs, and the choice. */
function ConflictCard({ sourceId, conflict }: ConflictCardProps) {
  const t = useTranslations('sources');
  const name = languageNames(useLocale());
  const { tenant, canEdit } = useWorkspace();
  const onError = useSourceError();
  const headingId = useId();
  const { place, locale, articleId, translationId, current, incoming, foundAt } = conflict;
  const resolve = useAction(
    (choice: SourceConflictChoice) =>
      tenant.call(resolveSourceConflicts, { params: { sourceId }, body: { places: [place], choice } }),
    {
      changes: [['sources', sourceId], 'articles'],
      done: t('resolved'),
      onError,
    },
  );
  return (
    <Paper component="li" withBorder p="lg" aria-labelledby={headingId}>
      <Stack>
        <Stack gap={2}>
          <Heading id={headingId} dir="auto" lang={locale}>
            {articleId ? (
              <ArticleTextLink articleId={articleId} translation={translationId && locale} lang={locale}>
                {incoming.title}
              </ArticleTextLink>
            ) : (
              incoming.title
            )}
          </Heading>
          <Muted component="div" className="wrap">
            {name(locale)} · <span dir="ltr">{place}</span> · <RelativeTime at={foundAt} />
          </Muted>
        </Stack>
        {current ? (
          <Sides current={current} incoming={incoming} locale={locale} />
        ) : (
          <Text>{t('deletedHere')}</Text>
        )}
        {canEdit && (
          <Group>
            <Button variant="default" onClick={() => resolve.mutate('keep')} loading={resolve.isPending}>
              {t('keep')}
            </Button>
            <Button onClick={() => resolve.mutate('replace')} loading={resolve.isPending}>
              {t('replace')}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

type SidesProps = {
  current: SourceConflictText;
  incoming: SourceConflictText;
  locale: string;
};

const toText = ({ title, answer, aliases }: SourceConflictText) =>
  [title, answer, aliases.join(', ')].filter(Boolean).join('\n\n');

function Sides({ current, incoming, locale }: SidesProps) {
  const t = useTranslations('sources');
  const [here, there] = [toText(current), toText(incoming)];
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Side label={t('textHere')}>
        <Text component="div" className="diff" dir="auto" lang={locale}>
          {here}
        </Text>
      </Side>
      <Side label={t('textThere')}>
        <TextDiff before={here} after={there} lang={locale} />
      </Side>
    </SimpleGrid>
  );
}

function Side({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <Stack gap={4} component="section" aria-labelledby={id}>
      <Text fw={600} id={id}>
        {label}
      </Text>
      {children}
    </Stack>
  );
}
