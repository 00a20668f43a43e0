import {
  ActionIcon,
  Button,
  Group,
  Input,
  NumberInput,
  Radio,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { TenantSettings, TenantSettingsChange } from '../../../sdk/types.ts';
import type { Messages } from '../../catalogs.ts';
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
  ('appearance' | 'consent' | 'general' | 'guide' | 'paths' | 'storage' | 'voice');
type TextKey<S extends Section> = keyof Messages['settings'][S] & string;

/** The values of a form by the names of its fields. */
export type Values = Record<string, unknown>;
export type SettingsFormState = ReturnType<typeof useForm<Values>>;

type Choice = { value: string; label: string; description?: string };

/** The texts of a field are those of its section: `name`, `nameHint` and `namePlaceholder`, where they exist. */
export type SettingsField<S extends Section = Section> = {
  name: TextKey<S> | 'rules';
  kind: 'text' | 'longText' | 'number' | 'switch' | 'select' | 'radio' | 'custom';
  /** Where the setting is, such as `voice.timeZone`; the name by default. */
  path?: string;
  /** Converts the setting to the value of the field. An absent one is empty. */
  read?: (setting: never) => unknown;
  /** Converts the value for the request. An empty field removes the setting. */
  write?: (value: never) => unknown;
  /** Applied before saving, such as to trim a text or to drop empty rows. */
  clean?: (value: never) => unknown;
  /** Returns an error, or errors by form path, before anything is sent. */
  check?: (value: never) => string | Readonly<Record<string, string>> | undefined | false;
  choices?: readonly Choice[];
  /** Further properties of the input. */
  input?: object;
  /** In place of the input of a custom field. */
  render?: (form: SettingsFormState) => ReactNode;
  below?: ReactNode;
};

type SettingsFormProps<S extends Section> = {
  settings: TenantSettings;
  section: S;
  /** Keys of texts. */
  title: TextKey<S>;
  lead?: TextKey<S>;
  fields: readonly SettingsField<S>[];
  /** Arranges the fields; one below the other by default. */
  children?: (fields: ReactNode, form: SettingsFormState) => ReactNode;
  /** Below the card. */
  preview?: (form: SettingsFormState) => ReactNode;
};

export const trim = (text: string) => text.trim();

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
  const texts = useTranslations(`settings.${section}`) as unknown as Texts;
  const { canEdit } = useWorkspace();
  const { form, submit, discard, isDirty, isSaving, note } = useSettingsForm(
    settings,
    fields as readonly SettingsField[],
  );
  const inputs = fields.map((field) => (
    <Field key={field.name} field={field as SettingsField} form={form} texts={texts} />
  ));
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
        {children(inputs, form)}
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

type Texts = { (key: string): string; has(key: string): boolean };
type FieldProps = { field: SettingsField; form: SettingsFormState; texts: Texts };

function Field({ field, form, texts }: FieldProps) {
  const { name, kind, choices = [], input, render, below } = field;
  const { canEdit } = useWorkspace();
  const findText = (key: string) => (texts.has(key) ? texts(key) : undefined);
  const common = { label: findText(name), description: findText(`${name}Hint`), ...input };
  const typed = {
    ...common,
    placeholder: findText(`${name}Placeholder`),
    readOnly: !canEdit,
    ...input,
    ...form.getInputProps(name),
  };
  const inputs = {
    text: () => <TextInput {...typed} />,
    longText: () => <Textarea autosize dir="auto" {...typed} />,
    number: () => (
      <NumberInput
        allowDecimal={false}
        allowNegative={false}
        thousandSeparator
        hideControls
        maw={420}
        {...typed}
      />
    ),
    select: () => <Select allowDeselect={false} data={choices} {...typed} />,
    switch: () => (
      <Switch {...common} disabled={!canEdit} {...form.getInputProps(name, { type: 'checkbox' })} />
    ),
    radio: () => (
      <Radio.Group {...common} readOnly={!canEdit} {...form.getInputProps(name)}>
        <Stack gap="sm" mt="xs">
          {choices.map((choice) => (
            <Radio key={choice.value} disabled={!canEdit} {...choice} />
          ))}
        </Stack>
      </Radio.Group>
    ),
    custom: () => render?.(form),
  };
  return (
    <>
      {inputs[kind]()}
      {below}
    </>
  );
}

/** Functions of a form that follow from its fields. */
function toPlan(fields: readonly SettingsField[]) {
  const entriesOf = (toEntry: (field: SettingsField) => readonly [string, unknown]) =>
    Object.fromEntries(fields.map(toEntry));
  return {
    toValues: (settings: TenantSettings): Values =>
      entriesOf(({ name, path = name, read = (setting) => setting ?? '' }) => [
        name,
        read(getAt(settings, path) as never),
      ]),
    toChange: (changed: Values): TenantSettingsChange => {
      const change = {};
      for (const { name, path = name, write = emptyToNull } of fields)
        if (name in changed) setAt(change, path, write(changed[name] as never));
      return change;
    },
    clean: (values: Values): Values =>
      entriesOf(({ name, clean = (value) => value }) => [name, clean(values[name] as never)]),
    validate: (values: Values): Record<string, string> => {
      const errors = fields.map(({ name, check }) => {
        const error = check?.(values[name] as never);
        return typeof error === 'string' ? { [name]: error } : error || {};
      });
      return Object.assign({}, ...errors);
    },
    /** Converts `body.allowedOrigins.2` to `origins.2`, for example, where that is the name of `allowedOrigins`. */
    toFormPath: (issuePath: string): string | undefined => {
      const full = issuePath.replace(/^body\./, '');
      const isWithin = ({ name, path = name }: SettingsField) => full === path || full.startsWith(`${path}.`);
      const field = fields.find(isWithin);
      return field && field.name + full.slice((field.path ?? field.name).length);
    },
  };
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

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const getChangedFields = (values: Values, saved: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([key, value]) => !isEqual(value, saved[key])));

function useSettingsForm(settings: TenantSettings, fields: readonly SettingsField[]) {
  const plan = toPlan(fields);
  const t = useTranslations('settings');
  const { tenantId } = useWorkspace();
  const saved = plan.toValues(settings);
  const [note, setNote] = useState('');
  const draftKey = `settings:${tenantId}:${Object.keys(saved).join()}`;
  const [draft] = useState(() => findDraft<Values>(draftKey)?.content);
  const form = useForm<Values>({
    initialValues: { ...saved, ...draft },
    onValuesChange: () => setNote(''),
  });
  const server = useServerValues(form, saved);
  const save = useSave(settings, plan, form, server);

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
    const values = plan.clean(form.getValues());
    if (!isEqual(values, form.getValues())) form.setValues(values);
    if (Object.keys(getChangedFields(values, saved)).length === 0) {
      setNote(t('nothingChanged'));
      return;
    }
    const errors = plan.validate(values);
    form.setErrors(errors);
    const [first] = Object.keys(errors);
    if (first === undefined) save.mutate(values);
    else form.getInputNode(first)?.focus();
  }
  return {
    form,
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
function useServerValues(form: SettingsFormState, saved: Values) {
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
  { toValues, toChange, toFormPath }: ReturnType<typeof toPlan>,
  form: SettingsFormState,
  { serverValues, adoptServerValues }: ReturnType<typeof useServerValues>,
) {
  const t = useTranslations('settings');
  const client = useQueryClient();
  const { tenant, tenantId } = useWorkspace();
  const issueText = useIssueText();
  const saved = toValues(settings);
  return useAction((values: Values) => tenant.settings.change(toChange(getChangedFields(values, saved))), {
    changes: ['installation', 'usage', 'directives'],
    done: t('saved'),
    onDone: async (stored, submitted) => {
      // The server normalizes values: treat the stored ones as unedited.
      serverValues.current = submitted;
      client.setQueryData(['tenant', tenantId, 'settings'], stored);
      adoptServerValues(toValues(stored));
      if (stored.name !== settings.name) await client.invalidateQueries({ queryKey: SESSION });
    },
    undo: (_, submitted) => async () => {
      const stored = await tenant.settings.change(toChange(getChangedFields(saved, submitted)));
      client.setQueryData(['tenant', tenantId, 'settings'], stored);
      adoptServerValues(toValues(stored));
      if (settings.name !== submitted.name) await client.invalidateQueries({ queryKey: SESSION });
    },
    onError: (error) => {
      if (!isGuideError(error, 'request/invalid') || !error.issues) return false;
      const fieldErrors = error.issues.map((issue) => [toFormPath(issue.path), issueText(issue)] as const);
      const assigned = fieldErrors.filter(([path]) => path !== undefined);
      form.setErrors(Object.fromEntries(assigned));
      if (assigned[0]?.[0]) form.getInputNode(assigned[0][0])?.focus();
      return assigned.length === fieldErrors.length;
    },
  });
}

/** Explains why the server rejects a value. Only the server's message contains the limit. */
export function useIssueText(): (issue: { code: string; message: string }) => string {
  const t = useTranslations('settings');
  return ({ code, message }) => {
    const limit = Number(/[<>]=?(\d+)/.exec(message)?.[1]);
    if (code === 'too_big' && limit >= 0) return t('tooBig', { limit });
    if (code === 'too_small' && limit >= 0) return t('tooSmall', { limit });
    return t('invalid', { message });
  };
}

type RowsProps = {
  form: SettingsFormState;
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
  const icon = { variant: 'default', size: 36 } as const;
  return (
    <>
      {labels.up && (
        <ActionIcon
          {...icon}
          aria-label={labels.up(at + 1)}
          {...(at === 0 && HIDDEN)}
          onClick={() => move(at - 1)}
        >
          <Icon name="arrow-up" />
        </ActionIcon>
      )}
      {labels.down && (
        <ActionIcon
          {...icon}
          aria-label={labels.down(at + 1)}
          {...(at === count - 1 && HIDDEN)}
          onClick={() => move(at + 1)}
        >
          <Icon name="arrow-down" />
        </ActionIcon>
      )}
      <ActionIcon {...icon} aria-label={labels.remove(at + 1)} onClick={remove}>
        <Icon name="trash" />
      </ActionIcon>
    </>
  );
}
