import { Button, Group, Input, NumberInput, Radio, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { TenantSettings, TenantSettingsChange } from '../../../sdk/types.ts';
import type { Messages } from '../../catalogs.ts';
import { IconButton } from '../../components/buttons.tsx';
import {
  type Field,
  Fields,
  type FormState,
  isEqual,
  useFields,
  type Values,
} from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { Card, Muted } from '../../components/page.tsx';
import { useAction, useLeaveGuard } from '../../components/use-action.tsx';
import { deleteDraft, findDraft, saveDraft } from '../../editor/draft.ts';
import { SESSION, useWorkspace } from '../../session.ts';

/**
 * The form of one card of settings. It sends only changed fields, so that two people who edit different settings
 * never overwrite each other's changes. Untouched fields follow the server. A local draft keeps unsaved input after a
 * crash or an expired session.
 */

type Section = keyof Messages['settings'] &
  ('appearance' | 'consent' | 'general' | 'guide' | 'helpCentre' | 'paths' | 'storage' | 'voice');
type TextKey<S extends Section> = keyof Messages['settings'][S] & string;

type SettingsField<S extends Section = Section> = Field & {
  name: TextKey<S> | 'rules';
  /** Converts the setting to the value of the field. An absent one is empty. */
  read?: (setting: never) => unknown;
  /** Converts the value for the request. An empty field removes the setting. */
  write?: (value: never) => unknown;
};

type SettingsFormProps<S extends Section> = {
  settings: TenantSettings;
  section: S;
  /** Keys of texts. */
  title: TextKey<S>;
  lead?: TextKey<S>;
  fields: readonly SettingsField<S>[];
  /** Arranges the fields; one below the other by default. */
  children?: (fields: ReactNode, form: FormState) => ReactNode;
  /** Below the card. */
  preview?: (form: FormState) => ReactNode;
};

/** A card of settings that is a form of its own. */
export function SettingsForm<S extends Section>({
  settings,
  section,
  title,
  lead,
  fields,
  children = (inputs) => inputs,
  preview,
}: SettingsFormProps<S>) {
  const t = useTranslations();
  const { canEdit } = useWorkspace();
  const { state, submit, discard, isDirty, isSaving, note } = useSettingsForm(
    settings,
    section,
    fields as readonly SettingsField[],
  );
  const { form, texts } = state;
  return (
    <>
      <Card
        component="form"
        isRegion
        title={texts(title)}
        lead={lead && texts(lead)}
        onSubmit={submit}
        noValidate
      >
        {children(<Fields state={state} readOnly={!canEdit} />, form)}
        {canEdit && (
          <Group gap="sm" mih={44}>
            <Button type="submit" variant={isDirty ? 'filled' : 'default'} loading={isSaving}>
              {t('shell.save')}
            </Button>
            {isDirty && (
              <Button variant="default" onClick={discard} disabled={isSaving}>
                {t('settings.discard')}
              </Button>
            )}
            <Muted role="status">{note}</Muted>
          </Group>
        )}
      </Card>
      {preview?.(form)}
    </>
  );
}

/** Inputs with the properties that settings have in common. */
export const Choice = Select.withProps({ allowDeselect: false });
export const WholeNumber = NumberInput.withProps({
  allowDecimal: false,
  allowNegative: false,
  thousandSeparator: true,
  hideControls: true,
  maw: 420,
});

type RadioFieldProps = {
  choices: readonly { value: string; label: string; description?: string }[];
  readOnly?: boolean;
};

/** One of few choices, all of which are shown. */
export function RadioField({ choices, readOnly, ...group }: RadioFieldProps) {
  return (
    <Radio.Group readOnly={readOnly} {...group}>
      <Stack gap="sm" mt="xs">
        {choices.map((choice) => (
          <Radio key={choice.value} disabled={readOnly} {...choice} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

const toValues = (fields: readonly SettingsField[], settings: TenantSettings): Values =>
  Object.fromEntries(
    fields.map(({ name, path = name, read = (setting) => setting ?? '' }) => [
      name,
      read(getAt(settings, path) as never),
    ]),
  );

/** Converts the values that differ from the saved ones. */
function toChange(fields: readonly SettingsField[], values: Values, saved: Values): TenantSettingsChange {
  const changed = getChangedFields(values, saved);
  const change = {};
  for (const { name, path = name, write = emptyToNull } of fields)
    if (name in changed) setAt(change, path, write(changed[name] as never));
  return change;
}

const emptyToNull = (value: unknown) => (value === '' ? null : value);

const getAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce((part, name) => (part as Values | undefined)?.[name], value);

function setAt(target: Values, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  target[name] ??= {};
  setAt(target[name] as Values, rest.join('.'), value);
}

const getChangedFields = (values: Values, saved: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([key, value]) => !isEqual(value, saved[key])));

function useSettingsForm(settings: TenantSettings, section: Section, fields: readonly SettingsField[]) {
  const t = useTranslations('settings');
  const { tenantId } = useWorkspace();
  const saved = toValues(fields, settings);
  const [note, setNote] = useState('');
  const draftKey = `settings:${tenantId}:${Object.keys(saved).join()}`;
  const [draft] = useState(() => findDraft<Values>(draftKey)?.content);
  const state = useFields<Values>({
    section: `settings.${section}`,
    fields,
    initialValues: { ...saved, ...draft },
    onValuesChange: () => setNote(''),
  });
  const { form } = state;
  const server = useServerValues(form, saved);
  const save = useSave(settings, fields, server, state.showError);

  const changed = getChangedFields(form.values, saved);
  const isDirty = Object.keys(changed).length > 0;
  const unsaved = JSON.stringify(changed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft depends on the changes alone
  useEffect(() => {
    if (isDirty) saveDraft(draftKey, { baseRevision: settings.version, content: changed });
    else deleteDraft(draftKey);
  }, [unsaved]);
  useLeaveGuard(isDirty && !save.isPending, { onLeave: () => deleteDraft(draftKey) });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const values = state.clean();
    if (Object.keys(getChangedFields(values, saved)).length === 0) setNote(t('nothingChanged'));
    else if (state.check(values)) save.mutate(values);
  }
  return {
    state,
    submit,
    isDirty,
    isSaving: save.isPending,
    note: isDirty ? t('unsaved') : note,
    discard: () => {
      form.setValues(saved);
      form.clearErrors();
    },
  };
}

/** Keeps fields that were not edited in step with the server. */
function useServerValues(form: FormState, saved: Values) {
  const serverValues = useRef(saved);
  function adoptServerValues(newer: Values): void {
    const typed = form.getValues();
    const untouched = Object.entries(newer).filter(([key]) => isEqual(typed[key], serverValues.current[key]));
    serverValues.current = newer;
    const parts = Object.fromEntries(untouched.filter(([key, value]) => !isEqual(typed[key], value)));
    if (Object.keys(parts).length > 0) form.setValues(parts);
  }
  const text = JSON.stringify(saved);
  // biome-ignore lint/correctness/useExhaustiveDependencies: follow only new values of the server
  useEffect(() => adoptServerValues(saved), [text]);
  return { serverValues, adoptServerValues };
}

function useSave(
  settings: TenantSettings,
  fields: readonly SettingsField[],
  { serverValues, adoptServerValues }: ReturnType<typeof useServerValues>,
  onError: (error: unknown) => boolean,
) {
  const t = useTranslations('settings');
  const client = useQueryClient();
  const { tenant, tenantId } = useWorkspace();
  const saved = toValues(fields, settings);
  async function adopt(stored: TenantSettings, nameBefore: unknown) {
    client.setQueryData(['tenant', tenantId, 'settings'], stored);
    adoptServerValues(toValues(fields, stored));
    if (stored.name !== nameBefore) await client.invalidateQueries({ queryKey: SESSION });
  }
  return useAction((values: Values) => tenant.settings.change(toChange(fields, values, saved)), {
    changes: ['installation', 'usage', 'directives'],
    done: t('saved'),
    onDone: (stored, submitted) => {
      // The server normalizes values: treat the stored ones as unedited.
      serverValues.current = submitted;
      return adopt(stored, settings.name);
    },
    undo: (changed, submitted) => async () =>
      adopt(await tenant.settings.change(toChange(fields, saved, submitted)), changed.name),
    onError,
  });
}

type RowsProps = {
  form: FormState;
  path: string;
  newRow: unknown;
  /** The path suffix of the first field in a row, such as `.region`. */
  firstField?: string;
  labels: {
    add: string;
    none?: string;
    remove: (number: number) => string;
    up?: (number: number) => string;
    down?: (number: number) => string;
  };
  row: (at: number) => ReactNode;
};

/** An editable list of fields that keeps the focus when rows are added, moved or removed. */
export function Rows({ form, path, newRow, firstField = '', labels, row }: RowsProps) {
  const { canEdit } = useWorkspace();
  const count = (form.values[path] as readonly unknown[]).length;
  const error = form.errors[path];
  const add = useRef<HTMLButtonElement>(null);
  const focus = (at: number) =>
    requestAnimationFrame(() => form.getInputNode(`${path}.${at}${firstField}`)?.focus());
  return (
    <Stack gap="sm" align="flex-start">
      {count === 0 && labels.none && <Text size="sm">{labels.none}</Text>}
      <Stack component="ul" className="plain-list" gap="sm" w="100%">
        {Array.from({ length: count }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the list, and its fields are controlled
          <Group component="li" key={at} gap="xs" align="flex-start" wrap="nowrap">
            <div className="grow">{row(at)}</div>
            {canEdit && (
              <RowActions
                at={at}
                count={count}
                labels={labels}
                move={(to) => {
                  form.reorderListItem(path, { from: at, to });
                  focus(to);
                }}
                remove={() => {
                  form.removeListItem(path, at);
                  add.current?.focus();
                }}
              />
            )}
          </Group>
        ))}
      </Stack>
      {error && <Input.Error role="alert">{error}</Input.Error>}
      {canEdit && (
        <Button
          ref={add}
          variant="default"
          leftSection={<Icon name="plus" />}
          onClick={() => {
            form.insertListItem(path, newRow);
            focus(count);
          }}
        >
          {labels.add}
        </Button>
      )}
    </Stack>
  );
}

/** For a move that is impossible: takes up its space, so that rows stay aligned. */
const HIDDEN = { style: { visibility: 'hidden' } } as const;

type RowActionsProps = Pick<RowsProps, 'labels'> & {
  at: number;
  count: number;
  move: (to: number) => void;
  remove: () => void;
};

function RowActions({ at, count, labels, move, remove }: RowActionsProps) {
  const number = at + 1;
  const step = (icon: 'arrow-up' | 'arrow-down', label: string, to: number) => (
    <IconButton
      icon={icon}
      iconSize={16}
      label={label}
      {...((to < 0 || to === count) && HIDDEN)}
      onClick={() => move(to)}
    />
  );
  return (
    <>
      {labels.up && step('arrow-up', labels.up(number), at - 1)}
      {labels.down && step('arrow-down', labels.down(number), at + 1)}
      <IconButton icon="trash" iconSize={16} label={labels.remove(number)} onClick={remove} />
    </>
  );
}
