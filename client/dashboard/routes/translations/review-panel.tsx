import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { Moment } from '../../components/moment.tsx';
import { Person } from '../../components/person.tsx';
import { useWorkspace } from '../../session.ts';
import type { Copy, Steps } from './translation-steps.tsx';

/** What a reviewer decides, and afterwards what the author reads of it. */
export function ReviewPanel({ copy, steps }: { readonly copy: Copy; readonly steps: Steps }) {
  const { mayChange } = useWorkspace();
  const { review, status } = copy.record;
  if (status === 'in_review') return mayChange ? <ReviewForm copy={copy} steps={steps} /> : null;
  if (!review || status === 'archived') return null;
  return <Reviewed review={review} />;
}

function Reviewed({ review }: { readonly review: NonNullable<Copy['record']['review']> }) {
  const t = useTranslations('translations');
  const { decision, reviewerId, reviewedAt, reviewNote } = review;
  const approved = decision === 'approve';
  const tags = {
    who: () => <Person id={reviewerId} />,
    when: () => <Moment at={reviewedAt} />,
  };
  return (
    <Alert color={approved ? 'teal' : 'grape'} title={t.rich(approved ? 'approvedBy' : 'noteFrom', tags)}>
      {reviewNote && (
        <Text dir="auto" className="wrap">
          {reviewNote}
        </Text>
      )}
    </Alert>
  );
}

function ReviewForm({ copy, steps }: { readonly copy: Copy; readonly steps: Steps }) {
  const t = useTranslations('translations');
  const { memberId } = useWorkspace();
  const [note, setNote] = useState('');
  const [tried, setTried] = useState(false);
  const { approve, requestChanges } = steps;
  const missing = tried && !/\S/.test(note);
  function request(event: FormEvent) {
    event.preventDefault();
    setTried(true);
    if (/\S/.test(note)) requestChanges.take(note.trim());
  }
  return (
    <Alert color="blue" variant="outline" title={t('reviewTitle')}>
      <form onSubmit={request} noValidate>
        <Stack>
          <Text size="sm">{t('reviewLead')}</Text>
          {copy.record.updatedBy === memberId && <Text size="sm">{t('reviewOwn')}</Text>}
          <Textarea
            label={t('noteLabel')}
            description={t('noteHint')}
            autosize
            minRows={2}
            value={note}
            onChange={({ currentTarget }) => setNote(currentTarget.value)}
            error={missing && t('needNote')}
            dir="auto"
          />
          <Group>
            <Button onClick={approve.take} loading={approve.pending} disabled={approve.why !== undefined}>
              {t('approve')}
            </Button>
            <Button type="submit" variant="default" loading={requestChanges.pending}>
              {t('requestChanges')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Alert>
  );
}
