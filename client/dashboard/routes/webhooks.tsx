import { Alert, Button, Code, Group, Modal, Paper, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { WEBHOOK_LIMITS } from '../../../contract/limits/webhooks.ts';
import type {
  NewWebhook,
  Webhook,
  WebhookChosenType,
  WebhookDelivery,
  WebhookWithSecret,
} from '../../sdk/types.ts';
import { RelativeTime } from '../components/attribution.tsx';
import { ActionMenu } from '../components/buttons.tsx';
import { Form, useFields } from '../components/form.tsx';
import { Icon } from '../components/icon.tsx';
import { Loaded } from '../components/loading.tsx';
import { EmptyState, Note } from '../components/page.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { DataTable, List, useCursorList } from '../components/table.tsx';
import { useAction, useConfirm } from '../components/use-action.tsx';
import { LISTED } from '../languages.ts';
import { useTenantQuery, useWorkspace } from '../session.ts';
import { CheckboxField, CredentialPage } from './credentials.tsx';

/** How often the page looks for what was sent meanwhile. */
const REFRESH_MILLIS = 3000;
const CHANGES = ['webhooks'] as const;

type Shown = { onCreated: (webhook: WebhookWithSecret) => void };

export default function WebhooksPage() {
  const t = useTranslations('webhooks');
  return (
    <CredentialPage<WebhookWithSecret>
      title={t('title')}
      lead={t('lead')}
      newLabel={t('new')}
      dialog={(close, onCreated) => <WebhookDialog close={close} onCreated={onCreated} />}
      toSecret={({ name, secret }) => ({
        title: t('secretTitle', { name }),
        lead: t('secretLead'),
        label: t('secret'),
        secret,
        copyLabel: t('copySecret'),
        storedLabel: t('stored'),
      })}
    >
      {(onCreated) => <Webhooks onCreated={onCreated} />}
    </CredentialPage>
  );
}

function Webhooks({ onCreated }: Shown) {
  const t = useTranslations('webhooks');
  const format = useFormatter();
  const [open, setOpen] = useState<string>();
  const list = useTenantQuery(CHANGES, (tenant, options) => tenant.webhooks.list(options), {
    refetchInterval: REFRESH_MILLIS,
  });
  return (
    <Loaded query={list} shape="table">
      {({ data }) => {
        const opened = data.find(({ id }) => id === open);
        if (data.length === 0) return <EmptyState title={t('empty')} lead={t('emptyLead')} />;
        return (
          <Stack>
            {data
              .filter(({ state }) => state === 'paused')
              .map((webhook) => (
                <PausedNotice key={webhook.id} webhook={webhook} />
              ))}
            <Paper withBorder>
              <DataTable
                caption={t('caption')}
                isRegion
                minWidth={640}
                horizontalSpacing="md"
                rows={data}
                columns={[
                  {
                    label: t('receiver'),
                    cell: ({ name, url }) => (
                      <>
                        <bdi className="wrap">{name}</bdi>
                        <Note>
                          <bdi dir="ltr" className="wrap">
                            {url}
                          </bdi>
                        </Note>
                      </>
                    ),
                  },
                  {
                    label: t('events'),
                    className: 'whole',
                    cell: ({ events }) =>
                      format.list(
                        events.map((type) => toEventName(t, type)),
                        LISTED,
                      ),
                  },
                  { label: t('status'), cell: (webhook) => <Status webhook={webhook} /> },
                  {
                    label: t('actions'),
                    cell: (webhook) => (
                      <Group gap="xs" wrap="nowrap">
                        <Button
                          variant="default"
                          size="compact-sm"
                          mih={36}
                          aria-label={t('showLogOf', { name: webhook.name })}
                          onClick={() => setOpen(webhook.id)}
                        >
                          {t('showLog')}
                        </Button>
                        <Actions
                          webhook={webhook}
                          onCreated={onCreated}
                          showLog={() => setOpen(webhook.id)}
                        />
                      </Group>
                    ),
                  },
                ]}
              />
            </Paper>
            {opened && <LogDialog webhook={opened} close={() => setOpen(undefined)} />}
          </Stack>
        );
      }}
    </Loaded>
  );
}

type Texts = ReturnType<typeof useTranslations<'webhooks'>>;

/** A later version may send events that this one does not know. */
const toEventName = (t: Texts, type: string) => {
  const key = `eventNames.${type.replace('.', '_')}` as 'eventNames.answer_rated';
  return t.has(key) ? t(key) : type;
};

/** Resumes a paused or disabled webhook. */
function useSwitch({ id }: Pick<Webhook, 'id'>) {
  const { tenant } = useWorkspace();
  return useAction((state: 'active' | 'disabled') => tenant.webhooks.change(id, { state }), {
    changes: CHANGES,
  });
}

function PausedNotice({ webhook }: { webhook: Webhook }) {
  const t = useTranslations('webhooks');
  const { canEdit } = useWorkspace();
  const { mutate, isPending } = useSwitch(webhook);
  return (
    <Alert
      color="orange"
      icon={<Icon name="alert-triangle" />}
      title={t('pausedTitle', { name: webhook.name })}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('pausedLead')}</Text>
        {canEdit && (
          <Button variant="default" loading={isPending} onClick={() => mutate('active')}>
            {t('resume')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

const STATE_COLORS = { active: 'green', disabled: 'gray', paused: 'orange' } as const;

function Status({ webhook: { state, waiting, pausedAt } }: { webhook: Webhook }) {
  const t = useTranslations('webhooks');
  return (
    <>
      <StatusBadge
        color={STATE_COLORS[state as keyof typeof STATE_COLORS] ?? 'gray'}
        icon={state === 'active' ? 'circle-check' : 'ban'}
      >
        {t(`states.${state as keyof typeof STATE_COLORS}`)}
      </StatusBadge>
      {pausedAt && (
        <Note>
          <RelativeTime at={pausedAt} />
        </Note>
      )}
      {waiting > 0 && <Note>{t('waiting', { count: waiting })}</Note>}
    </>
  );
}

type ActionsProps = Shown & { webhook: Webhook; showLog: () => void };

function Actions({ webhook, onCreated, showLog }: ActionsProps) {
  const t = useTranslations('webhooks');
  const { tenant } = useWorkspace();
  const confirm = useConfirm();
  const [dialog, setDialog] = useState<'edit' | 'rotate'>();
  const { id, name, state } = webhook;
  const close = () => setDialog(undefined);
  const test = useAction(() => tenant.webhooks.test(id), { changes: CHANGES, onDone: showLog });
  const toggle = useSwitch(webhook);
  const remove = useAction(() => tenant.webhooks.delete(id), { changes: CHANGES, done: t('deleted') });
  const question = { title: t('deleteTitle', { name }), lead: t('deleteLead'), confirm: t('delete') };
  const isActive = state === 'active';
  return (
    <>
      {dialog === 'edit' && <WebhookDialog webhook={webhook} close={close} onCreated={close} />}
      {dialog === 'rotate' && (
        <RotateDialog
          webhook={webhook}
          close={close}
          onCreated={(rotated) => {
            close();
            onCreated(rotated);
          }}
        />
      )}
      <ActionMenu
        label={t('actionsFor', { name })}
        loading={remove.isPending || toggle.isPending || test.isPending}
        actions={[
          isActive && { label: t('test'), icon: 'player-play', run: () => test.mutate() },
          { label: t('edit'), icon: 'pencil', run: () => setDialog('edit') },
          { label: t('rotate'), icon: 'refresh', run: () => setDialog('rotate') },
          isActive
            ? { label: t('disable'), icon: 'hand-stop', run: () => toggle.mutate('disabled') }
            : { label: t('resume'), icon: 'restore', run: () => toggle.mutate('active') },
          {
            label: t('delete'),
            icon: 'trash',
            isDangerous: true,
            run: () => confirm(question, remove.mutate),
          },
        ]}
      />
    </>
  );
}

const TYPES = [
  'question.unanswered',
  'answer.rated',
  'article.published',
  'article.unpublished',
  'translation.stale',
  'translation.published',
  'source.run_finished',
  'consent.erased',
  'handover.created',
  'handover.replied',
] as const satisfies readonly WebhookChosenType[];

type DialogProps = Shown & { close: () => void };

/** Asks for a new webhook, or changes one. */
function WebhookDialog({ webhook, close, onCreated }: DialogProps & { webhook?: Webhook }) {
  const t = useTranslations('webhooks');
  const { tenant } = useWorkspace();
  const choices = TYPES.map((value) => ({ value, label: toEventName(t, value), description: value }));
  const state = useFields<NewWebhook>({
    section: 'webhooks',
    initialValues: webhook
      ? { name: webhook.name, url: webhook.url, events: webhook.events as WebhookChosenType[] }
      : { name: '', url: '', events: ['question.unanswered'] },
    fields: [
      {
        name: 'name',
        as: TextInput,
        input: { autoComplete: 'off', 'data-autofocus': true, dir: 'auto' },
        check: (name: string) => !/\S/.test(name) && t('needName'),
      },
      {
        name: 'url',
        as: TextInput,
        input: { type: 'url', autoComplete: 'off', dir: 'ltr' },
        check: (url: string) => !/^https?:\/\/\S+$/i.test(url.trim()) && t('badUrl'),
        clean: (url: string) => url.trim(),
        explainIssue: () => t('badUrl'),
      },
      {
        name: 'events',
        as: CheckboxField,
        input: { choices },
        check: (events: readonly string[]) => events.length === 0 && t('needEvent'),
      },
    ],
  });
  const create = useAction((values: NewWebhook) => tenant.webhooks.create(values), {
    changes: CHANGES,
    onDone: (created) => onCreated(created),
    onError: (error) => state.showError(error),
  });
  const change = useAction((values: NewWebhook) => tenant.webhooks.change(webhook!.id, values), {
    changes: CHANGES,
    onDone: close,
    onError: (error) => state.showError(error),
  });
  const { mutate, isPending } = webhook ? change : create;
  return (
    <Modal opened onClose={close} title={t(webhook ? 'editTitle' : 'newTitle')}>
      <Form
        state={state}
        send={mutate}
        isPending={isPending}
        submitLabel={t(webhook ? 'save' : 'create')}
        cancel={close}
      />
    </Modal>
  );
}

/** Seconds for which the old secret signs too. */
const OVERLAPS = { now: 0, hour: 3600, day: 86_400, week: WEBHOOK_LIMITS.overlapSecondsMax } as const;

function RotateDialog({ webhook, close, onCreated }: DialogProps & { webhook: Webhook }) {
  const t = useTranslations('webhooks');
  const overlaps = useTranslations('apiKeys.overlaps');
  const { tenant } = useWorkspace();
  const data = (Object.keys(OVERLAPS) as (keyof typeof OVERLAPS)[]).map((value) => ({
    value,
    label: overlaps(value),
  }));
  const state = useFields<{ overlap: keyof typeof OVERLAPS }>({
    section: 'webhooks',
    initialValues: { overlap: 'day' },
    fields: [{ name: 'overlap', as: Select, input: { data, allowDeselect: false, 'data-autofocus': true } }],
  });
  const rotate = useAction(
    ({ overlap }: typeof state.form.values) =>
      tenant.webhooks.rotate(webhook.id, { overlapSeconds: OVERLAPS[overlap] }),
    { changes: CHANGES, onDone: (rotated) => onCreated(rotated) },
  );
  return (
    <Modal opened onClose={close} title={t('rotateTitle', { name: webhook.name })}>
      <Form
        state={state}
        send={rotate.mutate}
        isPending={rotate.isPending}
        lead={<Text>{t('rotateLead')}</Text>}
        submitLabel={t('rotateNow')}
        cancel={close}
      />
    </Modal>
  );
}

/** What was sent to a webhook in the last thirty days. */
function LogDialog({ webhook, close }: { webhook: Webhook; close: () => void }) {
  const t = useTranslations('webhooks');
  // The number of those that wait changes when something was sent.
  const list = useCursorList([...CHANGES, webhook.id, webhook.waiting], (tenant) =>
    tenant.webhooks.deliveries(webhook.id, { limit: 20 }),
  );
  return (
    <Modal opened onClose={close} size="xl" title={t('logOf', { name: webhook.name })}>
      <List list={list} empty={<EmptyState title={t('nothingSent')} lead={t('nothingSentLead')} />}>
        {(rows) =>
          rows.map((delivery) => <Delivery key={delivery.id} delivery={delivery} webhook={webhook} />)
        }
      </List>
    </Modal>
  );
}

function Delivery({ delivery, webhook }: { delivery: WebhookDelivery; webhook: Webhook }) {
  const t = useTranslations('webhooks');
  const { tenant, canEdit } = useWorkspace();
  const { id, type, state, payload, createdAt, attempts, nextAttemptAt, lastAttempt } = delivery;
  const resend = useAction(() => tenant.webhooks.resend(webhook.id, id), {
    changes: CHANGES,
    done: t('sentAgain'),
  });
  const isDelivered = state === 'delivered';
  const name = toEventName(t, type);
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fw={600}>{name}</Text>
          <Note>
            <RelativeTime at={createdAt} />
          </Note>
        </div>
        <Group gap="xs">
          <StatusBadge
            color={isDelivered ? 'green' : 'orange'}
            icon={isDelivered ? 'check' : 'clock-exclamation'}
          >
            {t(isDelivered ? 'delivered' : 'pending')}
          </StatusBadge>
          {canEdit && webhook.state === 'active' && (
            <Button
              variant="default"
              size="compact-sm"
              mih={32}
              loading={resend.isPending}
              aria-label={t('resendOne', { name })}
              onClick={() => resend.mutate()}
            >
              {t('resend')}
            </Button>
          )}
        </Group>
      </Group>
      {lastAttempt && (
        <Note>
          {lastAttempt.error
            ? t('failedWith', { reason: lastAttempt.error, count: attempts })
            : t('answeredWith', { status: lastAttempt.status ?? 0, count: attempts })}
        </Note>
      )}
      {nextAttemptAt && attempts > 0 && (
        <Note>
          {t('next')} <RelativeTime at={nextAttemptAt} />
        </Note>
      )}
      <details>
        <summary>{t('details')}</summary>
        <Stack gap="xs" mt="xs">
          <Text size="sm">{t('payload')}</Text>
          <Code block dir="ltr" translate="no" className="wrapped">
            {formatJson(payload)}
          </Code>
          {lastAttempt?.response && (
            <>
              <Text size="sm">{t('response')}</Text>
              <Code block dir="ltr" translate="no" className="wrapped">
                {lastAttempt.response}
              </Code>
            </>
          )}
        </Stack>
      </details>
    </Paper>
  );
}

const formatJson = (text: string) => JSON.stringify(JSON.parse(text), null, 2);
