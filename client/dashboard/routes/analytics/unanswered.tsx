import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';
import { UnansweredQuestions } from '../../components/unanswered-questions.tsx';

const SHOWN_AT_ONCE = 10;

/** All questions without an answer, a few at a time. */
export function Unanswered({ analytics }: { readonly analytics: Analytics }) {
  const t = useTranslations('shell');
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <UnansweredQuestions
      analytics={analytics}
      shown={shown}
      page="analytics"
      more={
        analytics.unanswered.length > shown && (
          <Button variant="default" className="self-start" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            {t('more')}
          </Button>
        )
      }
    />
  );
}
