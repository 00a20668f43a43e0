import { ActionIcon, Alert, Button, Group, Select, Stack, Table, Text, Tooltip } from '@mantine/core';
import { memo, useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import type { AuditRow, AuditFilters as Filters } from '../../sdk/types.ts';
import { MemberName, RelativeTime, useAutomationNames, useMembers } from '../components/attribution.tsx';
import { DayRange, parseDays, toTimeRange } from '../components/day-range.tsx';
import { IconFilter } from '../components/icons.tsx';
import { ArticleLink, TextLink } from '../components/links.tsx';
import { LISTED, LoadMore, useCursorList } from '../components/list.tsx';
import { ErrorMessage, Loading, Page } from '../components/page.tsx';
import { ListEnd, type MoreRows, TableBlocks, toMoreRows } from '../components/table-blocks.tsx';
import { languageNames, regionNames } from '../languages.ts';
import { type AuditSearch, useFilters } from '../search-params.ts';
import { useWorkspace } from '../session.ts';
import { useFiling } from './articles/filing.ts';

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
  const { rows } = list;
  const more = toMoreRows(list);
  return (
    <Stack>
      <AuditFilters />
      {list.isError && !list.isFetchNextPageError ? (
        <ErrorMessage error={list.error} retry={list.refetch} />
      ) : list.isPending ? (
        <Loading shape="table" />
      ) : rows.length === 0 ? (
        <Alert color="gray" role="status" title={t('nothingFound')}>
          <Stack gap="xs" align="flex-start">
            <Text>{t('nothingFoundLead')}</Text>
            <LoadMore list={list} />
            <Button
              variant="default"
              onClick={() => change({ who: null, action: null, subject: null, from: null, to: null })}
            >
              {t('clear')}
            </Button>
          </Stack>
        </Alert>
      ) : (
        <>
          <Rows rows={rows} busy={list.isFetching} more={more} />
          <ListEnd list={list} more={more} />
        </>
      )}
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

type RowsProps = { readonly rows: readonly AuditRow[]; readonly busy: boolean; readonly more: MoreRows };

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

type RowProps = { readonly row: AuditRow; readonly rowIndex: number };

/** Kept while older rows are loaded. */
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

function Actor({ id }: { readonly id: string }) {
  const t = useTranslations('audit.actors');
  if (id.startsWith('key_')) return t('apiKey');
  if (id === 'unknown') return t('unknown');
  return id === 'demo' ? t('demo') : <MemberName id={id} />;
}

/** Device and network of the request. */
function Origin({ row: { device, network } }: { readonly row: AuditRow }) {
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

/** Everyone who may have acted, and the one that is chosen. */
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

type SubjectProps = { readonly row: AuditRow };

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

/** The prefix of an id tells its type. */
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

/** An unknown action is shown by its id. */
function useActionText(): (action: string) => string {
  const t = useTranslations('audit.actions');
  return (action) => (t.has(action as never) ? t(action as 'workspace.changed') : action);
}

const SHOWN = 3;

/** Lists changed fields with their old and new values. */
function Changes({ details }: { readonly details: string }) {
  const t = useTranslations('audit');
  const [open, setOpen] = useState(false);
  const changes = parseChanges(details);
  if (changes.length === 0) return null;
  const shown = open ? changes : changes.slice(0, SHOWN);
  return (
    <Stack gap={4} align="flex-start">
      <Stack component="dl" gap={2} m={0}>
        {shown.map((change) => (
          <Field key={change.field} change={change} />
        ))}
      </Stack>
      {changes.length > SHOWN && (
        <Button
          variant="subtle"
          size="compact-sm"
          mih={28}
          px={0}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? t('fewer') : t('andMore', { count: changes.length - SHOWN })}
        </Button>
      )}
    </Stack>
  );
}

function Field({ change: { field, before, after } }: { readonly change: Change }) {
  const t = useTranslations('audit');
  const s = useTranslations('shell');
  const name = t.has(`fields.${field}` as never) ? t(`fields.${field as 'name'}`) : field;
  return (
    <div>
      <Text component="dt" size="sm" display="inline" c="dimmed">
        {s('labelOf', { label: name })}{' '}
      </Text>
      <Text
        component="dd"
        size="sm"
        display="inline"
        m={0}
        className={before === undefined ? 'wrap' : 'diff'}
      >
        {before === undefined ? (
          <span dir="auto">
            <FieldValue field={field} value={after} />
          </span>
        ) : (
          <>
            <del dir="auto">
              <FieldValue field={field} value={before} />
            </del>{' '}
            {'→'}{' '}
            <ins dir="auto">
              <FieldValue field={field} value={after} />
            </ins>
          </>
        )}
      </Text>
    </div>
  );
}

/** Ids are shown by name. */
function FieldValue({ field, value }: { readonly field: string; readonly value: Value | undefined }) {
  const formatValue = useValueText();
  if (field === 'articleIds' && Array.isArray(value)) return <ArticleLinks ids={value.map(String)} />;
  if (typeof value !== 'string') return formatValue(field, value);
  if (value.startsWith('mem_')) return <MemberName id={value} />;
  if (value.startsWith('art_')) return <ArticleLink id={value} />;
  if (value.startsWith('col_')) return <CollectionName id={value} />;
  return formatValue(field, value);
}

function ArticleLinks({ ids }: { readonly ids: readonly string[] }) {
  const t = useTranslations('audit');
  return (
    <>
      {ids.slice(0, SHOWN).map((id) => (
        <div key={id}>
          <ArticleLink id={id} />
        </div>
      ))}
      {ids.length > SHOWN && t('andMore', { count: ids.length - SHOWN })}
    </>
  );
}

function CollectionName({ id }: { readonly id: string }) {
  const t = useTranslations('audit.subjects');
  const { collections } = useFiling();
  return <span className="wrap">{collections.find((each) => each.id === id)?.name ?? t('collection')}</span>;
}

function useValueText(): (field: string, value: Value | undefined) => string {
  const t = useTranslations();
  const format = useFormatter();
  const language = languageNames(useLocale());
  const region = regionNames(useLocale());
  const translateValue = (text: string) =>
    t.has(`audit.values.${text}` as never) ? t(`audit.values.${text as 'region'}`) : text;
  const formatValue = (field: string, value: unknown): string => {
    if (value === undefined || value === null || value === '') return t('audit.none');
    if (typeof value === 'boolean') return value ? t('shell.yes') : t('shell.no');
    if (typeof value === 'number') return format.number(value);
    if (typeof value === 'string') return formatString(field, value);
    if (Array.isArray(value)) {
      return value.length === 0
        ? t('audit.none')
        : format.list(
            value.map((each) => formatItem(field, each)),
            LISTED,
          );
    }
    return JSON.stringify(value);
  };
  const formatString = (field: string, text: string) => {
    if (/(^|\.)(role)$/.test(field) && (text === 'owner' || text === 'admin' || text === 'member'))
      return t(`shell.roles.${text}`);
    if (/locale$/i.test(field)) return language(text);
    if (/At$/.test(field))
      return format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' });
    return translateValue(text);
  };
  // List items are objects: a region with its level, or a translation with its result.
  const formatItem = (field: string, each: unknown): string => {
    if (typeof each !== 'object' || each === null) return formatValue(field, each);
    return Object.entries(each)
      .map(([name, value]) => (name === 'region' ? region(String(value)) : formatValue(name, value)))
      .join(' · ');
  };
  return formatValue;
}

/** The shape of the details depends on the action. */

type Value = string | number | boolean | readonly unknown[] | { readonly [name: string]: unknown };

/** A field by its path, such as `voice.enabled`. */
type Change = {
  readonly field: string;
  readonly before?: Value | undefined;
  readonly after?: Value | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

function parseChanges(details: string): readonly Change[] {
  const fields = parseDetails(details);
  if (isGroup(fields.before) || isGroup(fields.after)) return compareFields(fields.before, fields.after);
  // The article is the target already; settings of a new workspace use the same field names as changes.
  const { from, to, fromRevision, toRevision, articleId: _, settings, before, after, ...rest } = fields;
  const others = { ...rest, ...(isGroup(settings) ? settings : {}) };
  return [
    ...toChange('role', from, to),
    ...toChange('name', before, after),
    ...toChange('revision', fromRevision, toRevision),
    ...Object.entries(flatten(others)).flatMap(([field, after]) => toChange(field, undefined, after)),
  ];
}

function findText(details: string, field: string): string | undefined {
  const value = parseDetails(details)[field];
  return typeof value === 'string' ? value : undefined;
}

function compareFields(before: unknown, after: unknown): readonly Change[] {
  const [beforeFields, afterFields] = [before, after].map((side) => (isGroup(side) ? flatten(side) : {})) as [
    Fields,
    Fields,
  ];
  const fields = new Set([...Object.keys(beforeFields), ...Object.keys(afterFields)]);
  return [...fields].flatMap((field) => toChange(field, beforeFields[field], afterFields[field]));
}

function toChange(field: string, before: unknown, after: unknown): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  return [{ field, before: before as Value | undefined, after: after as Value | undefined }];
}

/** Joins nested names with dots. */
function flatten(group: Fields, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) =>
      isGroup(value) ? Object.entries(flatten(value, `${prefix}${name}.`)) : [[prefix + name, value]],
    ),
  );
}

function parseDetails(details: string): Fields {
  try {
    const value: unknown = JSON.parse(details);
    return isGroup(value) ? value : {};
  } catch {
    return {};
  }
}

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
