import { Button, Modal, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { ActionMenu } from '../../components/buttons.tsx';
import { Form, trim, useFields } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageLink } from '../../components/links.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DataTable } from '../../components/table.tsx';
import { useAction, useConfirm } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { NoModelNotice } from './model.tsx';
import { SettingsView } from './settings.tsx';

type Rule = NonNullable<TenantSettings['guide']['rules']>[number];
const KINDS = ['style', 'ask_back', 'hand_over', 'never_say'] as const;

/** The owner's rules for answers of a language model, in order. */
export default function GuidanceSettings() {
  return (
    <SettingsView tab="guidance">
      {(settings) => (
        <>
          <NoModelNotice />
          <Rules rules={settings.guide.rules ?? []} />
        </>
      )}
    </SettingsView>
  );
}

function Rules({ rules: stored }: { rules: readonly Rule[] }) {
  const t = useTranslations('settings.guidance');
  const { canEdit } = useWorkspace();
  const [edited, setEdited] = useState<number>();
  const { rules, change } = useSavedRules(stored);
  return (
    <Card
      isRegion
      wide
      title={t('title')}
      lead={t('lead')}
      aside={
        canEdit && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setEdited(rules.length)}>
            {t('add')}
          </Button>
        )
      }
    >
      {rules.length === 0 ? (
        <Text>{t('none')}</Text>
      ) : (
        <RuleTable rules={rules} edit={setEdited} save={(after) => change.mutate({ before: rules, after })} />
      )}
      <Muted>{t.rich('tryIt', { link: (label) => <PageLink to="/preview">{label}</PageLink> })}</Muted>
      {edited !== undefined && (
        <RuleDialog
          rule={stored[edited]}
          close={() => setEdited(undefined)}
          save={async (rule) => {
            await change.mutateAsync({ before: rules, after: rules.toSpliced(edited, 1, rule) });
            setEdited(undefined);
          }}
        />
      )}
    </Card>
  );
}

/** The list, changed as soon as it is asked for, and the action that replaces it; its toast offers to undo it. */
function useSavedRules(stored: readonly Rule[]) {
  const t = useTranslations('settings');
  const { tenant, tenantId } = useWorkspace();
  const client = useQueryClient();
  const send = async (rules: readonly Rule[]) => {
    const settings = await tenant.settings.change({ guide: { rules: [...rules] } });
    client.setQueryData(['tenant', tenantId, 'settings'], settings);
  };
  type Change = { before: readonly Rule[]; after: readonly Rule[] };
  const change = useAction(({ after }: Change) => send(after), {
    queue: 'guidance',
    done: t('saved'),
    undo:
      (_, { before }) =>
      () =>
        send(before),
    onError: (error) => isShown(error),
  });
  return { rules: change.isPending ? change.variables.after : stored, change };
}

/** Errors of a rule appear in its form. */
const isShown = (error: unknown) => (error as { code?: unknown }).code === 'request/invalid';

type RuleTableProps = {
  rules: readonly Rule[];
  edit: (at: number) => void;
  save: (rules: readonly Rule[]) => void;
};

function RuleTable({ rules, edit, save }: RuleTableProps) {
  const t = useTranslations('settings.guidance');
  const { canEdit } = useWorkspace();
  const confirm = useConfirm();
  const rows = rules.map((rule, at) => ({ rule, at }));
  const move = (at: number, by: number) => {
    const rest = rules.toSpliced(at, 1);
    save(rest.toSpliced(at + by, 0, rules[at]!));
  };
  const actions = (at: number, { name }: Rule) => (
    <ActionMenu
      label={t('actionsFor', { name })}
      actions={[
        { label: t('edit'), icon: 'pencil', run: () => edit(at) },
        at > 0 && { label: t('up'), icon: 'arrow-up', run: () => move(at, -1) },
        at < rules.length - 1 && { label: t('down'), icon: 'arrow-down', run: () => move(at, 1) },
        {
          label: t('remove'),
          icon: 'trash',
          isDangerous: true,
          run: () =>
            confirm({ title: t('removeTitle', { name }), lead: t('removeLead'), confirm: t('remove') }, () =>
              save(rules.toSpliced(at, 1)),
            ),
        },
      ]}
    />
  );
  return (
    <DataTable
      caption={t('title')}
      minWidth={620}
      rows={rows}
      getKey={({ at }) => String(at)}
      columns={[
        { label: t('name'), cell: ({ rule }) => <bdi className="wrap">{rule.name}</bdi> },
        { label: t('kind'), cell: ({ rule }) => t(`kinds.${rule.kind}`) },
        {
          label: t('rule'),
          className: 'whole',
          cell: ({ rule }) => (
            <Stack gap={2}>
              <Muted dir="auto">{rule.when ? t('ifWhen', { when: rule.when }) : t('always')}</Muted>
              <Text size="sm" dir="auto" lineClamp={3}>
                {rule.text}
              </Text>
            </Stack>
          ),
        },
        {
          label: t('status'),
          cell: ({ rule, at }) =>
            canEdit ? (
              <Switch
                aria-label={t('enabledFor', { name: rule.name })}
                checked={rule.enabled}
                onChange={() => save(rules.with(at, { ...rule, enabled: !rule.enabled }))}
              />
            ) : (
              <StatusBadge color={rule.enabled ? 'green' : 'gray'}>
                {t(rule.enabled ? 'on' : 'off')}
              </StatusBadge>
            ),
        },
        ...(canEdit
          ? [{ label: t('actions'), cell: ({ rule, at }: (typeof rows)[number]) => actions(at, rule) }]
          : []),
      ]}
    />
  );
}

type RuleDialogProps = { rule: Rule | undefined; close: () => void; save: (rule: Rule) => Promise<void> };

type RuleValues = Omit<Rule, 'when'> & { when: string };

function RuleDialog({ rule, close, save }: RuleDialogProps) {
  const t = useTranslations('settings.guidance');
  const needs = (text: string) => !/\S/.test(text) && t('needed');
  const data = KINDS.map((value) => ({ value, label: t(`kinds.${value}`) }));
  const state = useFields<RuleValues>({
    section: 'settings.guidance',
    initialValues: { kind: 'style', name: '', text: '', enabled: true, ...rule, when: rule?.when ?? '' },
    fields: [
      { name: 'kind', as: Select, input: { data, allowDeselect: false } },
      {
        name: 'name',
        as: TextInput,
        clean: trim,
        check: needs,
        input: { dir: 'auto', 'data-autofocus': true },
      },
      { name: 'when', as: TextInput, clean: trim, input: { dir: 'auto' } },
      {
        name: 'text',
        as: Textarea,
        clean: trim,
        check: needs,
        input: { dir: 'auto', autosize: true, minRows: 3, maxRows: 12 },
      },
      { name: 'enabled', as: Switch },
    ],
  });
  return (
    <Modal opened onClose={close} size="lg" title={t(rule ? 'editTitle' : 'addTitle')}>
      <Form
        state={state}
        send={({ when, ...values }) => save({ ...values, ...(when !== '' && { when }) })}
        submitLabel={t('save')}
        cancel={close}
      />
    </Modal>
  );
}
