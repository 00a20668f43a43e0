import { List, Progress, Table, Text } from '@mantine/core';
import { useLocale, useTranslations } from 'use-intl';
import { CsvButton } from '../components/download.tsx';
import { PageLink } from '../components/links.tsx';
import { Loaded } from '../components/loading.tsx';
import { Card, Muted, Note } from '../components/page.tsx';
import { languageNames } from '../languages.ts';
import { useCoverage, useTenantQuery, useVerifyCount, useWorkspace } from '../session.ts';

/** What waits for the user, and how much of the knowledge each language has. */

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;

export function TaskCard() {
  const t = useTranslations();
  const toVerify = useVerifyCount();
  const tasks = useTenantQuery(['review-queue', 'mine'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'me' }).page(undefined, options),
  );
  return (
    <Card title={t('overview.tasksTitle')} wide>
      <Loaded query={tasks}>
        {({ data, counts }) =>
          data.length + toVerify === 0 ? (
            <Text>{t('overview.noTasks')}</Text>
          ) : (
            <>
              <List>
                {KINDS.filter((kind) => counts[kind] > 0).map((kind) => (
                  <List.Item key={kind}>
                    {t('reviewQueue.count', { name: t(`reviewQueue.kinds.${kind}`), count: counts[kind] })}
                  </List.Item>
                ))}
                {toVerify > 0 && (
                  <List.Item>
                    {t('reviewQueue.count', { name: t('reviewQueue.kinds.verify'), count: toVerify })}
                  </List.Item>
                )}
              </List>
              <PageLink to="/review-queue">{t('overview.toTasks')}</PageLink>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

export function Languages() {
  const t = useTranslations('overview');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  const coverage = useCoverage();
  const csv = coverage.data && coverage.data.published > 0 && (
    <CsvButton
      title={t('languages')}
      columns={[t('language'), t('live'), t('outdated'), t('missing')]}
      rows={coverage.data.locales.map((row) => [row.locale, row.live, row.stale, row.missing])}
    />
  );
  return (
    <Card title={t('languages')} aside={csv} wide>
      <Loaded query={coverage}>
        {({ published, locales }) =>
          published === 0 ? (
            <>
              <Text>{t('nothingPublished')}</Text>
              {canEdit && <PageLink to="/articles">{t('toArticles')}</PageLink>}
            </>
          ) : (
            <>
              <Muted>{t('languagesLead', { count: published })}</Muted>
              <Table withRowBorders={false}>
                <Table.Tbody>
                  {locales.map(({ locale, live, stale, missing }) => {
                    const total = Math.max(1, live + stale + missing);
                    return (
                      <Table.Tr key={locale}>
                        <Table.Th scope="row" fw={400}>
                          {name(locale)}
                        </Table.Th>
                        <Table.Td>
                          <Progress.Root size="lg" aria-hidden>
                            <Progress.Section value={(live / total) * 100} color="green" />
                            <Progress.Section value={(stale / total) * 100} color="orange" />
                          </Progress.Root>
                          <Note>{t('coverage', { live, stale, missing })}</Note>
                        </Table.Td>
                      </Table.Tr>
                    );
                  })}
                </Table.Tbody>
              </Table>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
