import {
  ActionIcon,
  Button,
  Group,
  Input,
  NumberInput,
  type NumberInputProps,
  Paper,
  Stack,
  Text,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { TenantSettings, TenantSettingsChange } from '../../../sdk/types.ts';
import { CardContent, READABLE_WIDTH } from '../../components/page.tsx';
import { useAction, useLeaveGuard } from '../../components/use-action.tsx';
import { deleteDraft, findDraft, saveDraft } from '../../editor/draft.ts';
import { SESSION, useWorkspace } from '../../session.ts';

/**
 * The form of one card of settings. It sends only changed fields, so that two people who edit different settings
 * never overwrite each other's changes. Untouched fields follow the server. A local draft keeps unsaved input after a
 * crash or an expired session.
 */

type SettingsPlan<Values> = {
  settings: TenantSettings;
  toValues: (settings: TenantSettings) => Values;
  /** The request for the fields that differ from the saved ones. */
  toChange: (changed: Partial<Values>, all: Values) => TenantSettingsChange;
  /** Server field to form path, such as `voice.timeZone` to `timeZone`. */
  fieldPaths: Readonly<Record<string, string>>;
  /** Trims values and drops empty rows before saving. */
  normalize?: (values: Values) => Values;
  /** Errors by form path, checked before sending. */
  validate?: (values: Values) => Readonly<Record<string, string>>;
};

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function getChangedFields<Values extends object>(values: Values, saved: Values): Partial<Values> {
  const changedEntries = Object.entries(values).filter(
    ([key, value]) => !isEqual(value, saved[key as keyof Values]),
  );
  return Object.fromEntries(changedEntries) as Partial<Values>;
}

export function useSettingsForm<Values extends Record<string, unknown>>(plan: SettingsPlan<Values>) {
  const { settings, toValues, normalize = (values) => values, validate } = plan;
  const t = useTranslations('settings');
  const { tenantId } = useWorkspace();
  const saved = toValues(settings);
  const [note, setNote] = useState('');
  const draftKey = `settings:${tenantId}:${Object.keys(saved).join()}`;
  const [draft] = useState(() => findDraft<Partial<Values>>(draftKey)?.content);
  const form = useForm<Values>({
    initialValues: { ...saved, ...draft },
    onValuesChange: () => setNote(''),
  });
  const server = useServerValues(form, saved);
  const save = useSave(plan, form, server);

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
    const values = normalize(form.getValues());
    if (!isEqual(values, form.getValues())) form.setValues(values);
    if (Object.keys(getChangedFields(values, saved)).length === 0) {
      setNote(t('nothingChanged'));
      return;
    }
    const errors = validate?.(values) ?? {};
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
function useServerValues<Values extends Record<string, unknown>>(
  form: ReturnType<typeof useForm<Values>>,
  saved: Values,
) {
  const serverValues = useRef(saved);
  function adoptServerValues(newer: Values): void {
    const typed = form.getValues();
    const untouched = Object.entries(newer).filter(([key]) => isEqual(typed[key], serverValues.current[key]));
    serverValues.current = newer;
    const parts = Object.fromEntries(untouched.filter(([key, value]) => !isEqual(typed[key], value)));
    if (Object.keys(parts).length > 0) form.setValues(parts as Partial<Values>);
  }
  const text = JSON.stringify(saved);
  // biome-ignore lint/correctness/useExhaustiveDependencies: follow only new values of the server
  useEffect(() => adoptServerValues(saved), [text]);
  return { serverValues, adoptServerValues };
}

function useSave<Values extends Record<string, unknown>>(
  { settings, toValues, toChange, fieldPaths }: SettingsPlan<Values>,
  form: ReturnType<typeof useForm<Values>>,
  { serverValues, adoptServerValues }: ReturnType<typeof useServerValues<Values>>,
) {
  const t = useTranslations('settings');
  const client = useQueryClient();
  const { tenant, tenantId } = useWorkspace();
  const issueText = useIssueText();
  const saved = toValues(settings);
  return useAction(
    (values: Values) => tenant.settings.change(toChange(getChangedFields(values, saved), values)),
    {
      changes: [
        ['tenant', tenantId, 'installation'],
        ['tenant', tenantId, 'usage'],
        ['tenant', tenantId, 'directives'],
      ],
      done: t('saved'),
      onDone: async (stored, submitted) => {
        // The server normalizes values: treat the stored ones as unedited.
        serverValues.current = submitted;
        client.setQueryData(['tenant', tenantId, 'settings'], stored);
        adoptServerValues(toValues(stored));
        if (stored.name !== settings.name) await client.invalidateQueries({ queryKey: SESSION });
      },
      undo: (_, submitted) => async () => {
        const stored = await tenant.settings.change(toChange(getChangedFields(saved, submitted), saved));
        client.setQueryData(['tenant', tenantId, 'settings'], stored);
        adoptServerValues(toValues(stored));
        if (settings.name !== submitted.name) await client.invalidateQueries({ queryKey: SESSION });
      },
      onError: (error) => {
        if (!isGuideError(error, 'request/invalid') || !error.issues) return false;
        const fieldErrors = error.issues.map(
          (issue) => [toFormPath(issue.path, fieldPaths), issueText(issue)] as const,
        );
        const assigned = fieldErrors.filter(([path]) => path !== undefined);
        form.setErrors(Object.fromEntries(assigned));
        if (assigned[0]?.[0]) form.getInputNode(assigned[0][0])?.focus();
        return assigned.length === fieldErrors.length;
      },
    },
  );
}

/** Converts `body.allowedOrigins.2` to `origins.2`, for example, where `allowedOrigins` maps to `origins`. */
function toFormPath(path: string, fieldPaths: Readonly<Record<string, string>>): string | undefined {
  const field = path.replace(/^body\./, '');
  const [name, formPath] =
    Object.entries(fieldPaths).find(([key]) => field === key || field.startsWith(`${key}.`)) ?? [];
  return name === undefined || formPath === undefined ? undefined : formPath + field.slice(name.length);
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

/** A card that is a form of its own. */
export function SettingsCard({
  title,
  lead,
  form,
  children,
}: {
  title: string;
  lead?: ReactNode;
  form: {
    submit: (event: FormEvent) => void;
    discard: () => void;
    isDirty: boolean;
    isSaving: boolean;
    note: string;
  };
  children: ReactNode;
}) {
  const t = useTranslations();
  const { canEdit } = useWorkspace();
  const id = useId();
  return (
    <Paper
      withBorder
      p="lg"
      component="form"
      onSubmit={form.submit}
      noValidate
      aria-labelledby={id}
      maw={READABLE_WIDTH}
    >
      <CardContent id={id} title={title} lead={lead}>
        {children}
        {canEdit && (
          <Group gap="sm" mih={44}>
            <Button type="submit" variant={form.isDirty ? 'filled' : 'default'} loading={form.isSaving}>
              {t('shell.save')}
            </Button>
            {form.isDirty && (
              <Button variant="default" onClick={form.discard} disabled={form.isSaving}>
                {t('settings.discard')}
              </Button>
            )}
            <Text role="status" size="sm" c="dimmed">
              {form.note}
            </Text>
          </Group>
        )}
      </CardContent>
    </Paper>
  );
}

export function WholeNumberInput(props: NumberInputProps) {
  return (
    <NumberInput
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator
      hideControls
      maw={420}
      {...props}
    />
  );
}

type RowsForm = {
  insertListItem: (path: never, item: never) => unknown;
  removeListItem: (path: never, at: number) => unknown;
  reorderListItem: (path: never, fieldPaths: { from: number; to: number }) => unknown;
  getInputNode: (path: never) => HTMLElement | null;
};

type RowsProps = {
  form: RowsForm;
  path: string;
  count: number;
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
  error?: ReactNode;
  canEdit: boolean;
  row: (at: number) => ReactNode;
};

/** An editable list of fields that keeps the focus when rows are added, moved or removed. */
export function Rows({ form, path, count, newRow, firstField = '', labels, error, canEdit, row }: RowsProps) {
  const add = useRef<HTMLButtonElement>(null);
  const list = path as never;
  const focus = (at: number) =>
    requestAnimationFrame(() => form.getInputNode(`${path}.${at}${firstField}` as never)?.focus());
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
                  form.reorderListItem(list, { from: at, to });
                  focus(to);
                }}
                remove={() => {
                  form.removeListItem(list, at);
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
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            form.insertListItem(list, newRow as never);
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

type RowActionsProps = Pick<RowsProps, 'count' | 'labels'> & {
  at: number;
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
          <IconArrowUp size={16} aria-hidden />
        </ActionIcon>
      )}
      {labels.down && (
        <ActionIcon
          {...icon}
          aria-label={labels.down(at + 1)}
          {...(at === count - 1 && HIDDEN)}
          onClick={() => move(at + 1)}
        >
          <IconArrowDown size={16} aria-hidden />
        </ActionIcon>
      )}
      <ActionIcon {...icon} aria-label={labels.remove(at + 1)} onClick={remove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </>
  );
}
