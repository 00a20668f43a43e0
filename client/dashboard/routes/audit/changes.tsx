import { Box, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { MemberName } from '../../components/attribution.tsx';
import { IconButton } from '../../components/buttons.tsx';
import { ArticleLink } from '../../components/links.tsx';
import { Muted } from '../../components/page.tsx';
import { LISTED, languageNames, regionNames } from '../../languages.ts';
import { useArticleFacets } from '../articles/collections.tsx';

const SHOWN = 3;
/** Characters of stored details that fit the line of a row. */
const ONE_LINE = 60;

/** Lists changed fields with their old and new values. */
export function Changes({ details }: { details: string }) {
  const t = useTranslations('audit');
  const [open, setOpen] = useState(false);
  const changes = parseChanges(details);
  if (changes.length === 0) return null;
  return (
    <Group gap={4} wrap="nowrap" align={open ? 'start' : 'center'}>
      {(changes.length > 1 || details.length > ONE_LINE) && (
        <IconButton
          icon="dots"
          iconSize={16}
          label={t('details')}
          variant="subtle"
          color="gray"
          size={28}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
      )}
      <Stack component="dl" gap={2} m={0}>
        {(open ? changes : changes.slice(0, SHOWN)).map((change) => (
          <Field key={change.field} change={change} isOpen={open} />
        ))}
      </Stack>
    </Group>
  );
}

function Field({ change: { field, before, after }, isOpen }: { change: Change; isOpen: boolean }) {
  const s = useTranslations('shell');
  const name = useFieldName(field);
  return (
    <div>
      <Muted component="dt" display="inline">
        {s('labelOf', { label: name })}{' '}
      </Muted>
      <Text
        component="dd"
        size="sm"
        display="inline"
        m={0}
        className={before === undefined ? 'wrap' : 'diff'}
      >
        {before === undefined ? (
          <span dir="auto">
            <FieldValue field={field} value={after} isOpen={isOpen} />
          </span>
        ) : (
          <>
            <del dir="auto">
              <FieldValue field={field} value={before} isOpen={isOpen} />
            </del>{' '}
            {'→'}{' '}
            <ins dir="auto">
              <FieldValue field={field} value={after} isOpen={isOpen} />
            </ins>
          </>
        )}
      </Text>
    </div>
  );
}

/** Fields that have their name where they are set. */
const NAMES: Readonly<Record<string, string>> = {
  added: 'sources.outcomes.added',
  changed: 'sources.outcomes.changed',
  removed: 'sources.outcomes.removed',
  conflicts: 'sources.outcomes.conflict',
  publishAt: 'schedule.when',
  verifyAfter: 'verify.after',
  reason: 'audit.fields.error',
  tests: 'answerTests.title',
  url: 'webhooks.url',
  events: 'webhooks.events',
  kind: 'customers.kind',
  customerAttributes: 'customers.attributes',
  factor: 'members.factor',
  requireSecondFactor: 'members.requireFactor',
  domain: 'settings.helpDomain.domain',
  'handover.mode': 'settings.general.handoverMode',
  'handover.answerTime': 'settings.general.answerTime',
  'handover.email': 'settings.general.deskEmail',
};

/** The sections of texts with the names of other fields. */
const SECTIONS = ['audit.fields', 'settings', 'settings.model', 'settings.signIn'];

function useFieldName(field: string): string {
  const t = useTranslations() as unknown as { (key: string): string; has(key: string): boolean };
  // The texts of `branding` are those of the page that sets it.
  const path = field.replace(/^branding\./, 'appearance.');
  const keys = [
    NAMES[field] ?? '',
    `audit.fields.${field}`,
    ...SECTIONS.map((section) => `${section}.${path}`),
  ];
  const key = keys.find((each) => t.has(each));
  return key === undefined ? field : t(key);
}

type FieldValueProps = { field: string; value: Value | undefined; isOpen: boolean };

/** Ids are shown by name. */
function FieldValue({ field, value, isOpen }: FieldValueProps) {
  const formatValue = useValueText();
  if (field === 'articleIds' && Array.isArray(value))
    return <ArticleLinks ids={value.map(String)} shown={isOpen ? SHOWN : 1} />;
  if (typeof value !== 'string') return formatValue(field, value);
  if (value.startsWith('mem_')) return <MemberName id={value} />;
  if (value.startsWith('art_')) return <ArticleLink id={value} />;
  if (value.startsWith('col_')) return <CollectionName id={value} />;
  return formatValue(field, value);
}

/** One link per line, far enough apart for touch in any font. */
function ArticleLinks({ ids, shown }: { ids: readonly string[]; shown: number }) {
  const t = useTranslations('audit');
  return (
    <>
      {ids.slice(0, shown).map((id) => (
        <Box key={id} lh="24px">
          <ArticleLink id={id} />
        </Box>
      ))}
      {ids.length > shown && t('andMore', { count: ids.length - shown })}
    </>
  );
}

export function CollectionName({ id }: { id: string }) {
  const t = useTranslations('audit.subjects');
  const { collections } = useArticleFacets();
  return <span className="wrap">{collections.find((each) => each.id === id)?.name ?? t('collection')}</span>;
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
      return value.length === 0
        ? t('audit.none')
        : format.list(
            value.map((each) => formatItem(field, each)),
            LISTED,
          );
    }
    return JSON.stringify(value);
  };
  const formatString = (field: string, text: string) => {
    if (/(^|\.)(role)$/.test(field) && (text === 'owner' || text === 'admin' || text === 'member'))
      return t(`shell.roles.${text}`);
    if (/locale$/i.test(field)) return language(text);
    if (/(At|After)$/.test(field))
      return format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' });
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

type Value = string | number | boolean | readonly unknown[] | { [name: string]: unknown };

/** A field by its path, such as `voice.enabled`. */
export type Change = {
  field: string;
  before?: Value | undefined;
  after?: Value | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

/** Shown as a change, as the target, or by no name. */
const HIDDEN = new Set([
  ...['from', 'to', 'fromRevision', 'toRevision', 'settings', 'before', 'after'],
  ...['articleId', 'invitationId', 'reply', 'runId', 'scheduled'],
]);

function parseChanges(details: string): readonly Change[] {
  const fields = parseDetails(details);
  if (isGroup(fields.before) || isGroup(fields.after)) return compareFields(fields.before, fields.after);
  // The article is the target already; settings of a new workspace use the same field names as changes.
  const { from, to, fromRevision, toRevision, settings, before, after } = fields;
  const rest = Object.fromEntries(Object.entries(fields).filter(([field]) => !HIDDEN.has(field)));
  const others = { ...rest, ...(isGroup(settings) ? settings : {}) };
  return [
    ...toChange('role', from, to),
    ...toChange('name', before, after),
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
