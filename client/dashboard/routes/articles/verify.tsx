import { Alert, Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Article, ArticleSummary } from '../../../sdk/types.ts';
import { useActorValues } from '../../components/attribution.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { parseFuture, toLocalDay } from '../../components/schedule.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';

type Verified = Pick<ArticleSummary, 'id' | 'verify'>;

const useDay = () => {
  const format = useFormatter();
  return (at: string) => format.dateTime(new Date(at), { dateStyle: 'long' });
};

/** Confirms that an article is right, and has it verified again after as long as the last time. */
export function useConfirmRight() {
  const t = useTranslations('verify');
  const { tenant } = useWorkspace();
  const toDay = useDay();
  return useAction(
    ({ id, verify }: Verified) => {
      const span = verify ? Date.parse(verify.after) - Date.parse(verify.checkedAt) : 0;
      return tenant.articles.verify(id, new Date(Date.now() + span).toISOString());
    },
    { changes: ['articles'], done: ({ verify }) => t('confirmed', { at: toDay(verify?.after ?? '') }) },
  );
}

/** Sets the day on which the article is due for verification. */
export function VerifyCard({ article: { id, verify } }: { article: Article }) {
  const t = useTranslations('verify');
  const s = useTranslations('schedule');
  const { tenant, canEdit } = useWorkspace();
  const toDay = useDay();
  const actorValues = useActorValues();
  const stored = verify ? toLocalDay(new Date(verify.after)) : '';
  const [day, setDay] = useState<string>();
  const [error, setError] = useState<string>();
  const isDue = verify !== undefined && Date.parse(verify.after) <= Date.now();
  const confirm = useConfirmRight();
  const save = useAction((after: string | null) => tenant.articles.verify(id, after), {
    changes: ['articles'],
    done: t('saved'),
    onDone: () => setDay(undefined),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    const after = day ? parseFuture(`${day}T00:00`) : null;
    if (after === undefined) setError(s('outOfRange'));
    else save.mutate(after);
  }
  return (
    <Card title={t('title')} lead={t('lead')} isRegion wide>
      {isDue && (
        <Alert color="orange">
          <Group justify="space-between">
            {t('due', { at: toDay(verify.after) })}
            {canEdit && (
              <Button loading={confirm.isPending} onClick={() => confirm.mutate({ id, verify })}>
                {t('stillRight')}
              </Button>
            )}
          </Group>
        </Alert>
      )}
      <form onSubmit={submit} noValidate>
        <Group align="flex-end">
          <TextInput
            type="date"
            label={t('after')}
            className="grow"
            readOnly={!canEdit}
            value={day ?? stored}
            error={error}
            onChange={({ currentTarget }) => {
              setDay(currentTarget.value);
              setError(undefined);
            }}
          />
          {canEdit && day !== undefined && day !== stored && (
            <Button type="submit" variant="default" loading={save.isPending}>
              {t('save')}
            </Button>
          )}
        </Group>
      </form>
      {verify && <Muted>{t.rich('checked', actorValues(verify.checkedBy))}</Muted>}
    </Card>
  );
}
