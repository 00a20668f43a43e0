import { Group, List, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { useInboxTop } from '../session.ts';
import { PageLink } from './links.tsx';
import { Loaded } from './loading.tsx';
import { Card, Muted } from './page.tsx';

/** The questions that would help most when answered, each with a link to its group in the inbox. */
export function InboxTop({ totals }: Pick<Analytics, 'totals'>) {
  const t = useTranslations('inbox');
  return (
    <Card title={t('top')} lead={t('topLead')} wide>
      <Loaded query={useInboxTop()}>
        {({ data: groups }) =>
          groups.length === 0 ? (
            <NoQuestions totals={totals} />
          ) : (
            <>
              <List listStyleType="none" spacing="xs">
                {groups.map(({ id, asked, questions: [first] }) => (
                  <List.Item key={id}>
                    <Group gap="xs">
                      <PageLink to="/inbox" hash={id} dir="auto" lang={first?.locale} className="wrap">
                        {first?.question}
                      </PageLink>
                      <Muted>{t('asked', { count: asked })}</Muted>
                    </Group>
                  </List.Item>
                ))}
              </List>
              <PageLink to="/inbox" className="self-start">
                {t('open')}
              </PageLink>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function NoQuestions({ totals }: Pick<Analytics, 'totals'>) {
  const t = useTranslations('overview');
  if (totals.turns > 0) return <Text>{t(totals.unanswered > 0 ? 'onlyUnstored' : 'allAnswered')}</Text>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text>{t('noneAsked')}</Text>
      <PageLink to="/preview">{t('tryGuide')}</PageLink>
    </Stack>
  );
}
