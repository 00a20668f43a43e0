import { Box, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useLocale, useTranslations } from 'use-intl';
import { MemberName } from '../../components/attribution.tsx';
import { ArticleLink } from '../../components/links.tsx';
import { LISTED } from '../../components/list.tsx';
import { Muted } from '../../components/text.ts';
import { languageNames, regionNames } from '../../languages.ts';
import { useArticleFacets } from '../articles/article-facets.ts';
import { type Change, parseChanges, type Value } from './details.ts';

const SHOWN = 3;

/** Lists changed fields with their old and new values. */
export function Changes({ details }: { details: string }) {
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

function Field({ change: { field, before, after } }: { change: Change }) {
  const t = useTranslations('audit');
  const s = useTranslations('shell');
  const name = t.has(`fields.${field}` as never) ? t(`fields.${field as 'name'}`) : field;
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
            <FieldValue field={field} value={after} />
          </span>
        ) : (
          <>
            <del dir="auto">
              <FieldValue field={field} value={before} />
            </del>{' '}
            {'→'}{' '}
            <ins dir="auto">
              <FieldValue field={field} value={after} />
            </ins>
          </>
        )}
      </Text>
    </div>
  );
}

/** Ids are shown by name. */
function FieldValue({ field, value }: { field: string; value: Value | undefined }) {
  const formatValue = useValueText();
  if (field === 'articleIds' && Array.isArray(value)) return <ArticleLinks ids={value.map(String)} />;
  if (typeof value !== 'string') return formatValue(field, value);
  if (value.startsWith('mem_')) return <MemberName id={value} />;
  if (value.startsWith('art_')) return <ArticleLink id={value} />;
  if (value.startsWith('col_')) return <CollectionName id={value} />;
  return formatValue(field, value);
}

/** One link per line, far enough apart for touch in any font. */
function ArticleLinks({ ids }: { ids: readonly string[] }) {
  const t = useTranslations('audit');
  return (
    <>
      {ids.slice(0, SHOWN).map((id) => (
        <Box key={id} lh="24px">
          <ArticleLink id={id} />
        </Box>
      ))}
      {ids.length > SHOWN && t('andMore', { count: ids.length - SHOWN })}
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
    if (/At$/.test(field))
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
