import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import type { Article } from '../../sdk/types.ts';
import { ANSWER_TESTS } from '../answer-tests.ts';
import { useWorkspace } from '../session.ts';
import { useActorValues } from './attribution.tsx';
import { browserZone } from './day-range.tsx';
import { Icon } from './icon.tsx';
import { CANCELLED } from './publish-check.tsx';
import { useAction } from './use-action.tsx';

type Scheduled = Pick<Article, 'scheduled'>;

type ScheduleOptions<Record extends Scheduled> = {
  record: Record;
  /** Stores the time, or cancels with null. Undefined if the text could not be saved first. */
  schedule: (publishAt: string | null) => Promise<Record | undefined>;
  onDone: (record: Record) => void;
  lead: string;
};

/** Schedules a publication. `ask` opens the dialog; render `element`, which contains the dialog and the scheduled time. */
export function useSchedule<Record extends Scheduled>({
  record: { scheduled },
  schedule,
  onDone,
  lead,
}: ScheduleOptions<Record>) {
  const t = useTranslations('schedule');
  const [isAsking, setAsking] = useState(false);
  const scheduleSaved = async (publishAt: string | null) => {
    const record = await schedule(publishAt);
    // The saving status says why the text was not saved.
    if (!record) throw CANCELLED;
    return record;
  };
  const save = useAction(scheduleSaved, {
    changes: ['articles', 'review-queue', ANSWER_TESTS],
    done: (record) => t(record.scheduled ? 'scheduled' : 'cancelled'),
    onError: (error) => error === CANCELLED,
    onDone: (record) => {
      setAsking(false);
      onDone(record);
    },
  });
  const ask = () => setAsking(true);
  const element = (
    <>
      {scheduled && (
        <ScheduleNote
          scheduled={scheduled}
          change={ask}
          cancel={() => save.mutate(null)}
          isBusy={save.isPending}
        />
      )}
      {isAsking && (
        <ScheduleDialog
          lead={lead}
          at={scheduled?.at}
          isBusy={save.isPending}
          save={save.mutate}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
  return { ask, element };
}

type NoteProps = {
  scheduled: NonNullable<Article['scheduled']>;
  change: () => void;
  cancel: () => void;
  isBusy: boolean;
};

function ScheduleNote({ scheduled: { at, by }, change, cancel, isBusy }: NoteProps) {
  const t = useTranslations('schedule');
  const format = useFormatter();
  const { canEdit } = useWorkspace();
  const actorValues = useActorValues();
  return (
    <Alert color="blue" icon={<Icon name="clock" />}>
      <Group justify="space-between">
        <Text size="sm">
          {t.rich('note', {
            at: format.dateTime(new Date(at), { dateStyle: 'long', timeStyle: 'short' }),
            ...actorValues(by),
          })}
        </Text>
        {canEdit && (
          <Group gap="xs">
            <Button variant="default" size="compact-sm" mih={32} onClick={change}>
              {t('change')}
            </Button>
            <Button variant="default" size="compact-sm" mih={32} loading={isBusy} onClick={cancel}>
              {t('cancel')}
            </Button>
          </Group>
        )}
      </Group>
    </Alert>
  );
}

type DialogProps = {
  lead: string;
  at: string | undefined;
  isBusy: boolean;
  save: (publishAt: string) => void;
  close: () => void;
};

function ScheduleDialog({ lead, at, isBusy, save, close }: DialogProps) {
  const t = useTranslations('schedule');
  const cancel = useTranslations('shell')('cancel');
  const [value, setValue] = useState(() => toLocalTime(at ? new Date(at) : tomorrowAtNine()));
  const [error, setError] = useState<string>();
  function submit(event: FormEvent) {
    event.preventDefault();
    const chosen = parseFuture(value);
    if (chosen) save(chosen);
    else setError(t('outOfRange'));
  }
  return (
    <Modal opened onClose={close} title={t('title')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">{lead}</Text>
          <TextInput
            type="datetime-local"
            label={t('when')}
            description={t('zone', { zone: browserZone })}
            data-autofocus
            value={value}
            error={error}
            onChange={({ currentTarget }) => {
              setValue(currentTarget.value);
              setError(undefined);
            }}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {cancel}
            </Button>
            <Button type="submit" loading={isBusy}>
              {t('submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const DAY_MILLIS = 86_400_000;

/** Returns the time of an input in RFC 3339 format; undefined unless it is in the future and within five years. */
export function parseFuture(local: string): string | undefined {
  const date = new Date(local);
  const days = (date.getTime() - Date.now()) / DAY_MILLIS;
  return days > 0 && days < ARTICLE_LIMITS.scheduleDaysMax ? date.toISOString() : undefined;
}

/** Formats a time as an input shows it, in the reader's time zone. */
function toLocalTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const toLocalDay = (date: Date) => toLocalTime(date).slice(0, 10);

function tomorrowAtNine(): Date {
  const date = new Date();
  date.setDate(date.getDate() + 1);
  date.setHours(9, 0, 0, 0);
  return date;
}
