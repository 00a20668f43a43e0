import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { MemberName } from '../../components/attribution.tsx';
import { languageNames, regionNames } from '../../languages.ts';

const SHOWN = 3;

/** Lists changed fields with their old and new values. */
export function Changes({ details }: { readonly details: string }) {
  const t = useTranslations('audit');
  const [open, setOpen] = useState(false);
  const changes = parseChanges(details);
  if (changes.length === 0) return null;
  const shown = open ? changes : changes.slice(0, SHOWN);
  return (
    <Stack gap={4} align="flex-start">
      <Stack component="dl" gap={2} m={0}>
        {shown.map((change) => (
          <Field key={change.field} change={change} />
        ))}
      </Stack>
      {changes.length > SHOWN && (
        <Button
          variant="subtle"
          size="compact-sm"
          mih={28}
          px={0}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? t('fewer') : t('andMore', { count: changes.length - SHOWN })}
        </Button>
      )}
    </Stack>
  );
}

function Field({ change: { field, before, after } }: { readonly change: Change }) {
  const t = useTranslations('audit');
  const formatValue = useValueText();
  const name = t.has(`fields.${field}` as never) ? t(`fields.${field as 'name'}`) : field;
  return (
    <div>
      <Text component="dt" size="sm" display="inline" c="dimmed">
        {name}:{' '}
      </Text>
      <Text
        component="dd"
        size="sm"
        display="inline"
        m={0}
        className={before === undefined ? 'wrap' : 'diff'}
      >
        {field === 'memberId' ? (
          <MemberName id={String(after)} />
        ) : before === undefined ? (
          <span dir="auto">{formatValue(field, after)}</span>
        ) : (
          <>
            <del dir="auto">{formatValue(field, before)}</del> {'→'}{' '}
            <ins dir="auto">{formatValue(field, after)}</ins>
          </>
        )}
      </Text>
    </div>
  );
}

function useValueText(): (field: string, value: Value | undefined) => string {
  const t = useTranslations();
  const format = useFormatter();
  const language = languageNames(useLocale());
  const region = regionNames(useLocale());
  const translateValue = (text: string) =>
    t.has(`audit.values.${text}` as never) ? t(`audit.values.${text as 'region'}`) : text;
  const formatValue = (field: string, value: unknown): string => {
    if (value === undefined || value === null || value === '') return t('audit.none');
    if (typeof value === 'boolean') return value ? t('shell.yes') : t('shell.no');
    if (typeof value === 'number') return format.number(value);
    if (typeof value === 'string') return formatString(field, value);
    if (Array.isArray(value)) {
      return value.length === 0 ? t('audit.none') : value.map((each) => formatItem(field, each)).join(', ');
    }
    return JSON.stringify(value);
  };
  const formatString = (field: string, text: string) => {
    if (/(^|\.)(role)$/.test(field) && (text === 'owner' || text === 'admin' || text === 'member'))
      return t(`shell.roles.${text}`);
    if (/locale$/i.test(field)) return language(text);
    return translateValue(text);
  };
  // List items are objects: a region with its level, or a translation with its result.
  const formatItem = (field: string, each: unknown): string => {
    if (typeof each !== 'object' || each === null) return formatValue(field, each);
    return Object.entries(each)
      .map(([name, value]) => (name === 'region' ? region(String(value)) : formatValue(name, value)))
      .join(' · ');
  };
  return formatValue;
}

/** The shape of the details depends on the action. */

type Value = string | number | boolean | readonly unknown[] | { readonly [name: string]: unknown };

/** A field by its path, such as `voice.enabled`. */
export type Change = {
  readonly field: string;
  readonly before?: Value | undefined;
  readonly after?: Value | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

function parseChanges(details: string): readonly Change[] {
  const fields = parseDetails(details);
  if (isGroup(fields.before) || isGroup(fields.after)) return compareFields(fields.before, fields.after);
  // The article is the target already; settings of a new workspace use the same field names as changes.
  const { from, to, fromRevision, toRevision, articleId: _, settings, ...rest } = fields;
  const others = { ...rest, ...(isGroup(settings) ? settings : {}) };
  return [
    ...toChange('role', from, to),
    ...toChange('revision', fromRevision, toRevision),
    ...Object.entries(flatten(others)).flatMap(([field, after]) => toChange(field, undefined, after)),
  ];
}

export function findText(details: string, field: string): string | undefined {
  const value = parseDetails(details)[field];
  return typeof value === 'string' ? value : undefined;
}

function compareFields(before: unknown, after: unknown): readonly Change[] {
  const [beforeFields, afterFields] = [before, after].map((side) => (isGroup(side) ? flatten(side) : {})) as [
    Fields,
    Fields,
  ];
  const fields = new Set([...Object.keys(beforeFields), ...Object.keys(afterFields)]);
  return [...fields].flatMap((field) => toChange(field, beforeFields[field], afterFields[field]));
}

function toChange(field: string, before: unknown, after: unknown): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  return [{ field, before: before as Value | undefined, after: after as Value | undefined }];
}

/** Joins nested names with dots. */
function flatten(group: Fields, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) =>
      isGroup(value) ? Object.entries(flatten(value, `${prefix}${name}.`)) : [[prefix + name, value]],
    ),
  );
}

function parseDetails(details: string): Fields {
  try {
    const value: unknown = JSON.parse(details);
    return isGroup(value) ? value : {};
  } catch {
    return {};
  }
}

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
