import { Alert, Group, Text, Tooltip } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import type { AuditRow, AuditFilters as QueryFilters } from '../../../sdk/types.ts';
import { MemberName, RelativeTime, useAutomationNames, useMembers } from '../../components/attribution.tsx';
import { IconButton } from '../../components/buttons.tsx';
import { DayRange, parseDays, toTimeRange } from '../../components/day-range.tsx';
import { type Filters, LinkedFilter, useFilters } from '../../components/filters.tsx';
import { ArticleLink, PageLink } from '../../components/links.tsx';
import { ListView } from '../../components/list-view.tsx';
import { Note, Page } from '../../components/page.tsx';
import { type Column, ListTable, useCursorList } from '../../components/table.tsx';
import { useWorkspace } from '../../session.ts';
import { Changes, CollectionName, findText } from './changes.tsx';

/** For owners and admins. */
export default function AuditPage() {
  const t = useTranslations('audit');
  const { canEdit } = useWorkspace();
  return (
    <Page title={t('title')} lead={t('lead')}>
      {canEdit ? (
        <AuditList />
      ) : (
        <Alert color="gray" title={t('editorsOnly')}>
          <Text>{t('editorsOnlyLead')}</Text>
          <PageLink to="">{t('toOverview')}</PageLink>
        </Alert>
      )}
    </Page>
  );
}

const ROWS_AT_ONCE = 25;

function AuditList() {
  const t = useTranslations('audit');
  const days = useTranslations('shell.days');
  const { filters, change } = useFilters();
  const query = toQuery(filters);
  const list = useCursorList(['audit', query], (tenant) => tenant.audit({ ...query, limit: ROWS_AT_ONCE }));
  const columns = useColumns();
  return (
    <ListView
      section="audit"
      list={list}
      filters={[
        {
          searchable: true,
          name: 'who',
          label: t('who'),
          placeholder: t('anyActor'),
          data: usePeople(filters.who),
          w: 260,
        },
        {
          searchable: true,
          name: 'action',
          label: t('what'),
          placeholder: t('anyAction'),
          data: useActionGroups(),
          w: 300,
        },
      ]}
      moreFilters={<DayRange label={days('label')} days={parseDays(filters)} choose={change} />}
      notice={<LinkedFilter name="subject" text={t('subjectFilter')} clearLabel={t('clearSubject')} />}
    >
      {() => <ListTable caption={t('caption')} minWidth={700} columns={columns} list={list} />}
    </ListView>
  );
}

const toQuery = (filters: Filters): QueryFilters => ({
  actor: filters.who,
  action: filters.action,
  subject: filters.subject,
  ...toTimeRange(parseDays(filters)),
});

function useColumns(): readonly Column<AuditRow>[] {
  const t = useTranslations('audit');
  return useMemo(
    () => [
      { label: t('what'), width: '38%', cell: (row) => <Action row={row} /> },
      { label: t('who'), width: '16%', cell: (row) => <Actor row={row} /> },
      { label: t('subject'), width: '20%', cell: (row) => <Subject row={row} /> },
      { label: t('details'), width: '26%', cell: ({ details }) => <Changes details={details} /> },
    ],
    [t],
  );
}

type RowProps = { row: AuditRow };

function Action({ row: { action, at } }: RowProps) {
  const text = useActionText();
  return (
    <>
      <Text size="sm" fw={600}>
        {text(action)}
      </Text>
      <Note className="nowrap">
        <RelativeTime at={at} exact />
      </Note>
    </>
  );
}

/** The actor, with the device and network of the request. */
function Actor({ row: { actor, device, network } }: RowProps) {
  const t = useTranslations('audit');
  const place = network === 'several' ? t('severalNetworks') : network;
  return (
    <>
      <ActorName id={actor} />
      {(device || place) && (
        <Note className="wrap">
          {device && <bdi>{device}</bdi>}
          {device && place && ' · '}
          {place && <bdi dir="ltr">{place}</bdi>}
        </Note>
      )}
    </>
  );
}

function ActorName({ id }: { id: string }) {
  const t = useTranslations('audit.actors');
  if (id.startsWith('key_')) return t('apiKey');
  if (id === 'unknown') return t('unknown');
  return id === 'demo' ? t('demo') : <MemberName id={id} />;
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
    { value: 'service', label: t('shell.byService') },
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

/** The target of an action, with a filter for it. */
function Subject({ row }: RowProps) {
  const t = useTranslations('audit');
  const { change } = useFilters();
  return (
    <Group gap="xs" wrap="nowrap">
      <span>
        <SubjectLink row={row} />
      </span>
      <Tooltip label={t('filterBySubject')}>
        <IconButton
          icon="filter"
          iconSize={16}
          label={t('filterBySubject')}
          variant="subtle"
          color="gray"
          size={28}
          onClick={() => change({ subject: row.subject })}
        />
      </Tooltip>
    </Group>
  );
}

/** The prefix of an id names its type. */
function SubjectLink({ row: { subject, action, details } }: RowProps) {
  const t = useTranslations('audit.subjects');
  const tabs = useTranslations('settings.tabs');
  const link = (to: string, text: string) => (
    <PageLink to={to} fz="inherit">
      {text}
    </PageLink>
  );
  const name = findText(details, 'slug') ?? findText(details, 'name');
  const articleId = findText(details, 'articleId');
  switch (subject.split('_')[0]) {
    case 'art':
      return <ArticleLink id={subject} name={name} />;
    case 'tr':
      if (!articleId) return t('translation');
      return <ArticleLink id={articleId} locale={findText(details, 'locale')} />;
    case 'ws':
      return action.startsWith('articles.')
        ? link('/articles', t('articles'))
        : link('/settings', t('workspace'));
    case 'mem':
      if (!findText(details, 'email')) return <MemberName id={subject} />;
      return link('/settings/members', t('member'));
    case 'inv':
      return link('/settings/members', t('invitation'));
    case 'key':
      return link('/settings/api-keys', name ?? t('apiKey'));
    case 'ses':
      return link('/settings/automation', name ?? t('automation'));
    case 'col':
      return name ?? <CollectionName id={subject} />;
    case 'ibx':
      return link('/inbox', t('inbox'));
    case 'ho':
      return link('/handovers', t('handover'));
    case 'tst':
      return link('/answer-tests', t('answerTest'));
    case 'img':
      return t('image');
    case 'whk':
      return link('/settings/webhooks', name ?? tabs('webhooks'));
    case 'ck':
      return link('/settings/customers', tabs('customers'));
    case 'src':
      return link(`/sources/${subject}`, name ?? t('source'));
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
  customer_key: ['created', 'deleted'],
  customer: ['erased'],
  webhook: ['created', 'changed', 'deleted', 'secret_rotated'],
  password: ['changed', 'reset'],
  article: [
    'created',
    'edited',
    'scheduled',
    'schedule_ended',
    'published',
    'unpublished',
    'verified',
    'imported',
    'deleted',
  ],
  translation: [
    'created',
    'edited',
    'submitted',
    'approved',
    'changes_requested',
    'scheduled',
    'schedule_ended',
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
  handover: ['changed', 'replied'],
  answer_test: ['changed', 'deleted'],
  kill_switch: ['on', 'off'],
} as const;

/** Names actions. An unknown action is shown by its id. */
function useActionText(): (action: string) => string {
  const t = useTranslations('audit.actions');
  return (action) => (t.has(action as never) ? t(action as 'workspace.changed') : action);
}
