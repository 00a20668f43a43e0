import { Alert, Button, Stack, Table, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { AuditRow, AuditFilters as Filters } from '../../../sdk/types.ts';
import { ColumnHeadings } from '../../components/column-headings.tsx';
import { More, useCursorList } from '../../components/cursor-list.tsx';
import { daysIn, momentsOf } from '../../components/days.ts';
import { Loading } from '../../components/loading.tsx';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { Person } from '../../components/person.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useFilters } from '../../components/use-filters.ts';
import type { AuditSearch } from '../../router.tsx';
import { useWorkspace } from '../../session.ts';
import { useActionText } from './actions.ts';
import { AuditFilters } from './audit-filters.tsx';
import { Changes } from './changes.tsx';
import { Subject } from './subject.tsx';

/** Who did what in the workspace; for owners and admins. */
export function AuditPage() {
  const t = useTranslations('audit');
  const { mayChange } = useWorkspace();
  return (
    <Page title={t('title')} lead={t('lead')}>
      {mayChange ? <AuditList /> : <NotForMembers />}
    </Page>
  );
}

function NotForMembers() {
  const t = useTranslations('audit');
  const { tenantId } = useWorkspace();
  return (
    <Alert color="gray" title={t('notForMembers')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('notForMembersLead')}</Text>
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
  const wanted = filtersOf(filters);
  const list = useCursorList(
    ['tenant', tenantId, 'audit', wanted],
    tenant.audit({ ...wanted, limit: ROWS_AT_ONCE }),
  );
  const { rows } = list;
  return (
    <Stack>
      <AuditFilters />
      {list.isError ? (
        <Trouble error={list.error} retry={list.refetch} />
      ) : list.isPending ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Alert color="gray" role="status" title={t('nothingFound')}>
          <Stack gap="xs" align="flex-start">
            <Text>{t('nothingFoundLead')}</Text>
            <More list={list} />
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
          <Rows rows={rows} busy={list.isFetching} />
          <More list={list} />
        </>
      )}
    </Stack>
  );
}

function filtersOf(search: AuditSearch): Filters {
  const { who, action, subject } = search;
  return {
    ...(who && { actor: who }),
    ...(action && { action }),
    ...(subject && { subject }),
    ...momentsOf(daysIn(search)),
  };
}

function Rows({ rows, busy }: { readonly rows: readonly AuditRow[]; readonly busy: boolean }) {
  const t = useTranslations('audit');
  const text = useActionText();
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table verticalSpacing="sm" highlightOnHover aria-busy={busy} className="from-top">
        <caption className="unseen">{t('caption')}</caption>
        <ColumnHeadings columns={[t('what'), t('who'), t('subject'), t('details')]} />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Th scope="row" fw={400}>
                <Text size="sm" fw={600}>
                  {text(row.action)}
                </Text>
                <Text size="xs" c="dimmed" className="nowrap">
                  <Moment at={row.at} exact />
                </Text>
              </Table.Th>
              <Table.Td miw={190} maw={240}>
                <Actor id={row.actor} />
              </Table.Td>
              <Table.Td maw={220}>
                <Subject row={row} />
              </Table.Td>
              <Table.Td maw={360}>
                <Changes details={row.details} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Mostly a person. */
function Actor({ id }: { readonly id: string }) {
  const t = useTranslations('audit.actors');
  if (id.startsWith('key_')) return t('apiKey');
  return id === 'demo' ? t('demo') : <Person id={id} />;
}
