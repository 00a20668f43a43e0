import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.tsx';
import { useWorkspace } from '../../session.ts';
import { Installation, useInstallation } from './installation.tsx';
import { StepCard } from './step-card.tsx';

/** What a new owner does first; each step notices by itself that it is done. */
export function WelcomePage() {
  const t = useTranslations('welcome');
  const { tenant, tenantId, mayChange } = useWorkspace();
  const installation = useInstallation();
  const coverage = useQuery({
    queryKey: ['tenant', tenantId, 'articles', 'coverage'],
    queryFn: ({ signal }) => tenant.articles.coverage({ signal }),
  });
  const seen = installation.data?.origins.some(({ lastSeenAt }) => lastSeenAt !== undefined) ?? false;
  const { articles = 0, published = 0 } = coverage.data ?? {};
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Stack component="ol" className="plain-list" maw={820}>
        <StepCard number={1} title={t('putTitle')} done={seen}>
          <Installation />
        </StepCard>
        <StepCard number={2} title={t('writeTitle')} done={published > 0}>
          <Text>
            {published > 0
              ? t('written', { count: published })
              : articles > 0
                ? t('draftOnly')
                : t('writeLead')}
          </Text>
          {mayChange && (
            <Group>
              <Button
                component={Link}
                to={`/w/${tenantId}/articles${articles > 0 ? '' : '/new'}`}
                variant={published > 0 ? 'default' : 'filled'}
              >
                {t('write')}
              </Button>
            </Group>
          )}
          <Text size="sm" c="dimmed" className="wrap">
            {t('import', {
              command: `npm run -s guidepost -- knowledge import --workspace ${tenantId} PATH`,
            })}
          </Text>
        </StepCard>
        <StepCard number={3} title={t('tryTitle')} done={false}>
          <Text>{t('tryLead')}</Text>
          <Group>
            <Button component={Link} to={`/w/${tenantId}/try`} variant={published > 0 ? 'filled' : 'default'}>
              {t('tryIt')}
            </Button>
            <Anchor component={Link} to={`/w/${tenantId}`}>
              {t('overview')}
            </Anchor>
          </Group>
        </StepCard>
      </Stack>
    </Page>
  );
}
