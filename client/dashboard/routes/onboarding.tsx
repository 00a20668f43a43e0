import { Button, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Icon } from '../components/icon.tsx';
import { PageLink } from '../components/links.tsx';
import { Card } from '../components/page.tsx';
import { useCoverage, useRecentAnalytics, useTenantQuery, useWorkspace } from '../session.ts';

/** Set-up steps of a new workspace. The list disappears for good when all are done or it is hidden. */
export function Onboarding() {
  const { tenantId, canEdit } = useWorkspace();
  const key = `guidepost-onboarding:${tenantId}`;
  // State that an earlier visit has stored.
  const [storedState, setStoredState] = useState(() => localStorage.getItem(key));
  if (storedState === 'done' || !canEdit) return null;
  const storeState = (state: 'open' | 'done') => localStorage.setItem(key, state);
  const hide = () => {
    storeState('done');
    setStoredState('done');
  };
  return <Steps wasOpen={storedState === 'open'} storeState={storeState} hide={hide} />;
}

const ARTICLES_WANTED = 5;

type Step = {
  name: 'domain' | 'script' | 'articles' | 'answer' | 'colleague';
  path: string;
  done: boolean;
};

type StepsProps = {
  wasOpen: boolean;
  storeState: (state: 'open' | 'done') => void;
  hide: () => void;
};

function Steps({ wasOpen, storeState, hide }: StepsProps) {
  const t = useTranslations('overview.onboarding');
  const steps = useSteps();
  const published = useCoverage().data?.published ?? 0;
  const done = steps?.filter((step) => step.done).length ?? 0;
  const isComplete = done === steps?.length;
  useEffect(() => {
    if (steps) storeState(isComplete ? 'done' : 'open');
  }, [steps, isComplete, storeState]);
  if (!steps) return null;
  if (isComplete) return wasOpen ? <Finished hide={hide} /> : null;
  return (
    <Card title={t('title')} lead={t('progress', { done, all: steps.length })} wide>
      <Progress value={(done / steps.length) * 100} aria-hidden />
      <Stack component="ol" gap="xs" className="plain-list" aria-label={t('title')}>
        {steps.map((step) => (
          <StepItem key={step.name} {...step}>
            {t(`steps.${step.name}`, { published, wanted: ARTICLES_WANTED })}
          </StepItem>
        ))}
      </Stack>
      <Button variant="subtle" size="compact-sm" mih={32} className="self-start" onClick={hide}>
        {t('hide')}
      </Button>
    </Card>
  );
}

function StepItem({ path, done, children }: Step & { children: string }) {
  const t = useTranslations('overview.onboarding');
  return (
    <Group component="li" gap="sm" wrap="nowrap">
      <span className={`status status-${done ? 'green' : 'gray'}`}>
        {done ? <Icon name="circle-check" size={20} /> : <Icon name="circle-dashed" size={20} />}
      </span>
      {done ? (
        <Text>
          {children} <VisuallyHidden>{t('done')}</VisuallyHidden>
        </Text>
      ) : (
        <PageLink to={`${path}`}>{children}</PageLink>
      )}
    </Group>
  );
}

function Finished({ hide }: { hide: () => void }) {
  const t = useTranslations('overview.onboarding');
  return (
    <Card title={t('finished')} lead={t('finishedLead')} wide>
      <Button variant="default" className="self-start" onClick={hide}>
        {t('close')}
      </Button>
    </Card>
  );
}

/** Returns the steps; undefined while they load, so that nothing flickers. */
function useSteps(): readonly Step[] | undefined {
  const installation = useTenantQuery(['installation'], (tenant, options) => tenant.installation(options));
  const coverage = useCoverage();
  const analytics = useRecentAnalytics();
  const answered = useTenantQuery(['conversations', 'onboarding'], (tenant, { signal }) =>
    tenant.conversations.list({ answered: true, limit: 1 }).page(undefined, { signal }),
  );
  const members = useTenantQuery(['members', 'onboarding'], (tenant, { signal }) =>
    tenant.members.list({ limit: 2 }).page(undefined, { signal }),
  );
  const invitations = useTenantQuery(['invitations', 'onboarding'], (tenant, { signal }) =>
    tenant.invitations.list({ limit: 1 }).page(undefined, { signal }),
  );
  if (!installation.data || !coverage.data || !analytics.data) return undefined;
  if (!answered.data || !members.data || !invitations.data) return undefined;
  const { origins } = installation.data;
  const hasAnswer = analytics.data.totals.answered > 0 || answered.data.data.length > 0;
  const hasColleague = members.data.data.length > 1 || invitations.data.data.length > 0;
  return [
    { name: 'domain', path: '/settings', done: origins.length > 0 },
    {
      name: 'script',
      path: '/installation',
      done: origins.some(({ lastSeenAt }) => lastSeenAt !== undefined),
    },
    { name: 'articles', path: '/articles', done: coverage.data.published >= ARTICLES_WANTED },
    { name: 'answer', path: '/installation', done: hasAnswer },
    { name: 'colleague', path: '/settings/members', done: hasColleague },
  ];
}
