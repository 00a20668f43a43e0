import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { Person } from '../../components/person.tsx';
import { languageNames } from '../../language.ts';
import { regionNames } from '../../regions.ts';
import { type Change, changesIn, type Value } from './details.ts';

/** As many as can be taken in at a glance. */
const SHOWN = 3;

/** What changed, field by field, in words: what it was and what it is. */
export function Changes({ details }: { readonly details: string }) {
  const t = useTranslations('audit');
  const [open, setOpen] = useState(false);
  const changes = changesIn(details);
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
  const write = useValueText();
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
          <Person id={String(after)} />
        ) : before === undefined ? (
          <span dir="auto">{write(field, after)}</span>
        ) : (
          <>
            <del dir="auto">{write(field, before)}</del> {'→'} <ins dir="auto">{write(field, after)}</ins>
          </>
        )}
      </Text>
    </div>
  );
}

/** Values as a person would say them. */
function useValueText(): (field: string, value: Value | undefined) => string {
  const t = useTranslations();
  const format = useFormatter();
  const language = languageNames(useLocale());
  const region = regionNames(useLocale());
  const word = (text: string) =>
    t.has(`audit.values.${text}` as never) ? t(`audit.values.${text as 'region'}`) : text;
  const write = (field: string, value: unknown): string => {
    if (value === undefined || value === null || value === '') return t('audit.nothing');
    if (typeof value === 'boolean') return value ? t('shell.yes') : t('shell.no');
    if (typeof value === 'number') return format.number(value);
    if (typeof value === 'string') return named(field, value);
    if (Array.isArray(value)) {
      return value.length === 0 ? t('audit.nothing') : value.map((each) => one(field, each)).join(', ');
    }
    return JSON.stringify(value);
  };
  const named = (field: string, text: string) => {
    if (/(^|\.)(role)$/.test(field) && (text === 'owner' || text === 'admin' || text === 'member'))
      return t(`shell.roles.${text}`);
    if (/locale$/i.test(field)) return language(text);
    return word(text);
  };
  // Rows of lists: a region with its strictness, or a translation with what became of it.
  const one = (field: string, each: unknown): string => {
    if (typeof each !== 'object' || each === null) return write(field, each);
    return Object.entries(each)
      .map(([name, value]) => (name === 'region' ? region(String(value)) : write(name, value)))
      .join(' · ');
  };
  return write;
}
