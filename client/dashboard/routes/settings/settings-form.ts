import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { TenantSettings, TenantSettingsChange } from '../../../sdk/types.ts';
import { useStep } from '../../components/use-step.ts';
import { dropDraft, findDraft, keepDraft } from '../../editor/draft.ts';
import { SESSION } from '../../queries.ts';
import { useWorkspace } from '../../session.ts';
import { useIssueText } from './issue-text.ts';
import { useLeaveGuard } from './leave-guard.tsx';

/**
 * A part of the settings as a form. What somebody typed stays until the service has it; what they did not touch follows the
 * service; and only what they changed is sent, so that two people at different settings never undo each other. A session that
 * ends or a lid that closes takes nothing away: the device keeps what is not saved.
 */

type SettingsPlan<Values> = {
  readonly settings: TenantSettings;
  readonly valuesOf: (settings: TenantSettings) => Values;
  /** What to send for the fields that differ from what is saved. */
  readonly changeOf: (changed: Partial<Values>, all: Values) => TenantSettingsChange;
  /** Where the service's name of a field is on the form, such as `voice.timeZone`: `timeZone`. */
  readonly places: Readonly<Record<string, string>>;
  /** Without what somebody left empty and does not mean. */
  readonly tidy?: (values: Values) => Values;
  /** What is wrong that needs no service to know. */
  readonly wrong?: (values: Values) => Readonly<Record<string, string>>;
};

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function changedFields<Values extends object>(values: Values, saved: Values): Partial<Values> {
  const differs = Object.entries(values).filter(([key, value]) => !same(value, saved[key as keyof Values]));
  return Object.fromEntries(differs) as Partial<Values>;
}

export function useSettingsForm<Values extends Record<string, unknown>>(plan: SettingsPlan<Values>) {
  const { settings, valuesOf, changeOf, places, tidy = (values) => values, wrong } = plan;
  const t = useTranslations('settings');
  const client = useQueryClient();
  const { tenant, tenantId } = useWorkspace();
  const issueText = useIssueText();
  const saved = valuesOf(settings);
  const [note, setNote] = useState('');
  const draftKey = `settings:${tenantId}:${Object.keys(saved).join()}`;
  const [draft] = useState(() => findDraft<Partial<Values>>(draftKey)?.content);
  const form = useForm<Values>({
    initialValues: { ...saved, ...draft },
    onValuesChange: () => setNote(''),
  });
  const seen = useRef(saved);

  /** Fields that nobody touched since take the newer value. */
  function follow(newer: Values): void {
    const typed = form.getValues();
    const untouched = Object.entries(newer).filter(([key]) => same(typed[key], seen.current[key]));
    seen.current = newer;
    const parts = Object.fromEntries(untouched.filter(([key, value]) => !same(typed[key], value)));
    if (Object.keys(parts).length > 0) form.setValues(parts as Partial<Values>);
  }
  const text = JSON.stringify(saved);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the service says anew is followed
  useEffect(() => follow(saved), [text]);

  const changed = changedFields(form.values, saved);
  const dirty = Object.keys(changed).length > 0;
  const unsaved = JSON.stringify(changed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is kept whenever it is another
  useEffect(() => {
    if (dirty) keepDraft(draftKey, { baseRevision: settings.version, content: changed });
    else dropDraft(draftKey);
  }, [unsaved]);
  const save = useStep(
    (values: Values) => tenant.settings.change(changeOf(changedFields(values, saved), values)),
    {
      changes: [
        ['tenant', tenantId, 'installation'],
        ['tenant', tenantId, 'usage'],
        ['tenant', tenantId, 'directives'],
      ],
      done: t('saved'),
      onDone: async (answer, sent) => {
        // The service tidies what it is sent: that counts as untouched.
        seen.current = sent;
        client.setQueryData(['tenant', tenantId, 'settings'], answer);
        follow(valuesOf(answer));
        if (answer.name !== settings.name) await client.invalidateQueries({ queryKey: SESSION });
      },
      onError: (error) => {
        if (!isGuideError(error, 'request/invalid') || !error.issues) return false;
        const found = error.issues.map((issue) => [placeOf(issue.path, places), issueText(issue)] as const);
        const told = found.filter(([place]) => place !== undefined);
        form.setErrors(Object.fromEntries(told));
        if (told[0]?.[0]) form.getInputNode(told[0][0])?.focus();
        return told.length === found.length;
      },
    },
  );
  useLeaveGuard(dirty && !save.isPending, { left: () => dropDraft(draftKey) });

  function submit(event: FormEvent): void {
    event.preventDefault();
    const values = tidy(form.getValues());
    if (!same(values, form.getValues())) form.setValues(values);
    if (Object.keys(changedFields(values, saved)).length === 0) {
      setNote(t('nothingChanged'));
      return;
    }
    const errors = wrong?.(values) ?? {};
    form.setErrors(errors);
    const [first] = Object.keys(errors);
    if (first === undefined) save.mutate(values);
    else form.getInputNode(first)?.focus();
  }
  return {
    form,
    submit,
    dirty,
    saving: save.isPending,
    note: dirty ? t('unsaved') : note,
    discard: () => {
      form.setValues(saved);
      form.clearErrors();
    },
  };
}

/** `body.allowedOrigins.2` is at `origins.2` where `allowedOrigins` is at `origins`. */
function placeOf(path: string, places: Readonly<Record<string, string>>): string | undefined {
  const field = path.replace(/^body\./, '');
  const [wire, place] =
    Object.entries(places).find(([name]) => field === name || field.startsWith(`${name}.`)) ?? [];
  return wire === undefined || place === undefined ? undefined : place + field.slice(wire.length);
}
