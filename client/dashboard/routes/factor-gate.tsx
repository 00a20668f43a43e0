import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Card, Page } from '../components/page.tsx';
import { PasswordForm } from '../components/password.tsx';
import '../theme-controls.css';
import { queries, useSession } from '../session.ts';
import { SecondFactorsCard } from './second-factors.tsx';

/** Stands in place of every page of a workspace that requires a second factor, until this session has proved one. */
export default function FactorGate({ name }: { name: string }) {
  const t = useTranslations();
  const { secondFactors } = useSession();
  // Stays on the first factor until its recovery codes are stored.
  const [hasFactor] = useState(secondFactors.length > 0);
  return (
    <Page
      title={t(hasFactor ? 'signIn.secondStep' : 'factors.gateTitle')}
      lead={t(hasFactor ? 'factors.gateConfirm' : 'factors.gateLead', { name })}
    >
      {hasFactor ? (
        <Card title={t('factors.title')}>
          <PasswordForm
            onConfirmed={() => void queries.invalidateQueries()}
            onCancel={() => void queries.invalidateQueries()}
          />
        </Card>
      ) : (
        <SecondFactorsCard />
      )}
    </Page>
  );
}
