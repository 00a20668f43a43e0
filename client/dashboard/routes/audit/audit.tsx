import { ActionIcon, Alert, Button, Group, Select, Stack, Table, Text, Tooltip } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslations } from 'use-intl';
import type { AuditRow, AuditFilters as Filters } from '../../../sdk/types.ts';
import { MemberName, RelativeTime, useAutomationNames, useMembers } from '../../components/attribution.tsx';
import { DayRange, parseDays, toTimeRange } from '../../components/day-range.tsx';
import { ArticleLink, TextLink } from '../../components/links.tsx';
import { useCursorList } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { asCardsWhenNarrow } from '../../components/region-table.tsx';
import { LongTable, type MoreRows, NothingFound, TableBlocks } from '../../components/table-blocks.tsx';
import { type AuditSearch, useFilters } from '../../search-params.ts';
import { useWorkspace } from '../../session.ts';
import { Changes, CollectionName } from './changes.tsx';
import { findText } from './details.ts';

/** For owners and admins. */
export function AuditPage() {
  const t = useTranslations('audit');
  const { canEdit } = useWorkspace();
  return (
    <Page title={t('title')} lead={t('lead')}>
      {canEdit ? <AuditList /> : <NotForMembers />}
    </Page>
  );
}

function NotForMembers() {
  const t = useTranslations('audit');
  const { tenantId } = useWorkspace();
  return (
    <Alert color="gray" title={t('editorsOnly')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('editorsOnlyLead')}</Text>
        <TextLink to="/w/$tenantId" params={{ tenantId }}>
          {t('toOverview')}
        </TextLink>
      </Stack>
    </Alert>
  );
}

const ROWS_AT_ONCE = 25;

function AuditList() {
  const t = useTranslations('audit');
  const { tenant, tenantId } = useWorkspace();
  const { filters, change } = useFilters<AuditSearch>();
  const query = toFilters(filters);
  const list = useCursorList(
    ['tenant', tenantId, 'audit', query],
    tenant.audit({ ...query, limit: ROWS_AT_ONCE }),
  );
  return (
    <Stack>
      <AuditFilters />
      <LongTable
        list={list}
        empty={
          <NothingFound
            title={t('nothingFound')}
            lead={t('nothingFoundLead')}
            list={list}
            clearLabel={t('clear')}
            clear={() => change({ who: null, action: null, subject: null, from: null, to: null })}
          />
        }
      >
        {(more) => <Rows rows={list.rows} busy={list.isFetching} more={more} />}
      </LongTable>
    </Stack>
  );
}

function toFilters(search: AuditSearch): Filters {
  const { who, action, subject } = search;
  return {
    ...(who && { actor: who }),
    ...(action && { action }),
    ...(subject && { subject }),
    ...toTimeRange(parseDays(search)),
  };
}

type RowsProps = { rows: readonly AuditRow[]; busy: boolean; more: MoreRows };

function Rows({ rows, busy, more }: RowsProps) {
  const t = useTranslations('audit');
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table
        layout="fixed"
        verticalSpacing="sm"
        highlightOnHover
        aria-busy={busy}
        aria-rowcount={more.count > 0 ? -1 : rows.length + 1}
        {...asCardsWhenNarrow(COLUMNS.map(({ name }) => t(name)))}
        className="from-top"
      >
        <caption className="unseen">{t('caption')}</caption>
        <Table.Thead>
          <Table.Tr aria-rowindex={1}>
            {COLUMNS.map(({ name, width }) => (
              <Table.Th key={name} scope="col" w={width}>
                {t(name)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <TableBlocks rows={rows} columns={COLUMNS.length} more={more}>
          {(row, rowIndex) => <Row key={row.id} row={row} rowIndex={rowIndex} />}
        </TableBlocks>
      </Table>
    </Table.ScrollContainer>
  );
}

const COLUMNS = [
  { name: 'what', width: '25%' },
  { name: 'who', width: '23%' },
  { name: 'subject', width: '20%' },
  { name: 'details', width: '32%' },
] as const;

type RowProps = { row: AuditRow; rowIndex: number };

/** Memoized, so that loading older rows does not render this one. */
const Row = memo(function Row({ row, rowIndex }: RowProps) {
  const text = useActionText();
  return (
    <Table.Tr aria-rowindex={rowIndex}>
      <Table.Th scope="row" fw={400}>
        <Text size="sm" fw={600}>
          {text(row.action)}
        </Text>
        <Text size="xs" c="dimmed" className="nowrap">
          <RelativeTime at={row.at} exact />
        </Text>
      </Table.Th>
      <Table.Td>
        <Actor id={row.actor} />
        <Origin row={row} />
      </Table.Td>
      <Table.Td>
        <Subject row={row} />
      </Table.Td>
      <Table.Td>
        <Changes details={row.details} />
      </Table.Td>
    </Table.Tr>
  );
});

function Actor({ id }: { id: string }) {
  const t = useTranslations('audit.actors');
  if (id.startsWith('key_')) return t('apiKey');
  if (id === 'unknown') return t('unknown');
  return id === 'demo' ? t('demo') : <MemberName id={id} />;
}

/** Device and network of the request. */
function Origin({ row: { device, network } }: { row: AuditRow }) {
  const t = useTranslations('audit');
  if (!device && !network) return null;
  const place = network === 'several' ? t('severalNetworks') : network;
  return (
    <Text size="xs" c="dimmed" component="div" className="wrap">
      {device && <bdi>{device}</bdi>}
      {device && place && ' · '}
      {place && <bdi dir="ltr">{place}</bdi>}
    </Text>
  );
}

function AuditFilters() {
  const t = useTranslations();
  const { filters, change } = useFilters<AuditSearch>();
  const people = usePeople(filters.who);
  const groups = useActionGroups();
  return (
    <Stack>
      <Group role="search" align="flex-end" gap="sm">
        <Select
          label={t('audit.who')}
          placeholder={t('audit.anyActor')}
          clearable
          searchable
          value={filters.who ?? null}
          onChange={(who) => change({ who })}
          data={people}
          w={260}
        />
        <Select
          label={t('audit.what')}
          placeholder={t('audit.anyAction')}
          clearable
          searchable
          value={filters.action ?? null}
          onChange={(action) => change({ action })}
          data={groups}
          w={300}
        />
        <DayRange label={t('shell.days.label')} days={parseDays(filters)} choose={change} />
      </Group>
      {filters.subject && (
        <Alert color="gray">
          <Group justify="space-between">
            <Text>{t('audit.subjectFilter')}</Text>
            <Button variant="default" onClick={() => change({ subject: null })}>
              {t('audit.clearSubject')}
            </Button>
          </Group>
        </Alert>
      )}
    </Stack>
  );
}

/** Lists the actors to filter by; the selected one is always among them. */
function usePeople(chosen: string | undefined) {
  const t = useTranslations();
  const members = useMembers();
  const automations = useAutomationNames();
  const people = [
    ...[...members].map(([value, { email }]) => ({ value, label: email })),
    ...[...automations].map(([value, name]) => ({ value, label: t('automation.actor', { name }) })),
    { value: 'operator', label: t('shell.operator') },
  ];
  // A former member can only be selected through a link.
  return !chosen || people.some(({ value }) => value === chosen)
    ? people
    : [...people, { value: chosen, label: t('shell.formerMember') }];
}

function useActionGroups() {
  const t = useTranslations('audit');
  const text = useActionText();
  return Object.entries(ACTIONS).map(([key, actions]) => {
    const kind = t(`kinds.${key as keyof typeof ACTIONS}`);
    const items = actions.map((name) => ({ value: `${key}.${name}`, label: text(`${key}.${name}`) }));
    return { group: kind, items: [{ value: `${key}.`, label: t('all', { kind }) }, ...items] };
  });
}

type SubjectProps = { row: AuditRow };

/** The target of an action, with a filter for it. */
function Subject({ row }: SubjectProps) {
  const t = useTranslations('audit');
  const { change } = useFilters<AuditSearch>();
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <span>
        <SubjectLink row={row} />
      </span>
      <Tooltip label={t('filterBySubject')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={t('filterBySubject')}
          onClick={() => change({ subject: row.subject })}
        >
          <IconFilter size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** The prefix of an id names its type. */
function SubjectLink({ row: { subject, action, details } }: SubjectProps) {
  const t = useTranslations('audit.subjects');
  const { tenantId } = useWorkspace();
  const settings = (page: string, name: string) => (
    <TextLink to={`/w/${tenantId}/settings${page}` as '/'} fz="inherit">
      {name}
    </TextLink>
  );
  const name = findText(details, 'slug') ?? findText(details, 'name');
  switch (subject.split('_')[0]) {
    case 'art':
      return <ArticleLink id={subject} name={name} />;
    case 'tr': {
      const articleId = findText(details, 'articleId');
      return articleId ? (
        <ArticleLink id={articleId} locale={findText(details, 'locale')} />
      ) : (
        t('translation')
      );
    }
    case 'ws':
      if (action.startsWith('articles.'))
        return (
          <TextLink to="/w/$tenantId/articles" params={{ tenantId }} fz="inherit">
            {t('articles')}
          </TextLink>
        );
      return settings('', t('workspace'));
    case 'mem':
      return findText(details, 'email') ? settings('/members', t('member')) : <MemberName id={subject} />;
    case 'inv':
      return settings('/members', t('invitation'));
    case 'key':
      return settings('/api-keys', name ?? t('apiKey'));
    case 'ses':
      return settings('/automation', name ?? t('automation'));
    case 'col':
      return name ?? <CollectionName id={subject} />;
    case 'ibx':
      return (
        <TextLink to="/w/$tenantId/inbox" params={{ tenantId }} fz="inherit">
          {t('inbox')}
        </TextLink>
      );
    case 'img':
      return t('image');
    case 'src':
      return (
        <TextLink to="/w/$tenantId/sources/$sourceId" params={{ tenantId, sourceId: subject }} fz="inherit">
          {name ?? t('source')}
        </TextLink>
      );
    case 'usr':
      return t('account');
    default:
      return <span className="wrap">{subject}</span>;
  }
}

/** Every action that the server records, by target type. */
const ACTIONS = {
  workspace: ['created', 'changed', 'enabled', 'disabled', 'exported'],
  session: ['signed_in', 'sign_in_failed', 'confirmation_failed'],
  access: ['refused'],
  member: ['added', 'role_changed', 'removed', 'left'],
  invitation: ['created', 'withdrawn', 'accepted'],
  api_key: ['created', 'rotated', 'revoked', 'new_network', 'exported', 'sent_in_address'],
  automation_session: ['created', 'ended'],
  password: ['changed', 'reset'],
  article: ['created', 'edited', 'published', 'unpublished', 'imported', 'deleted'],
  translation: [
    'created',
    'edited',
    'submitted',
    'approved',
    'changes_requested',
    'published',
    'archived',
    'restored',
    'imported',
    'deleted',
  ],
  articles: ['published', 'unpublished', 'moved', 'tagged', 'untagged', 'deleted'],
  collection: ['created', 'renamed', 'deleted'],
  image: ['uploaded', 'deleted'],
  source: ['created', 'changed', 'applied', 'conflicts_resolved', 'deleted'],
  knowledge: ['imported'],
  inbox: ['assigned', 'unassigned', 'resolved', 'dismissed', 'reopened', 'linked', 'unlinked'],
  kill_switch: ['on', 'off'],
} as const;

/** Names actions. An unknown action is shown by its id. */
function useActionText(): (action: string) => string {
  const t = useTranslations('audit.actions');
  return (action) => (t.has(action as never) ? t(action as 'workspace.changed') : action);
}
