import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { createSource } from '../../../../generated/routes.ts';
import type { Source, SourceChange } from '../../../../generated/types.ts';
import { useOpenPage } from '../../components/links.tsx';
import { Page, READABLE_WIDTH } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { useSourceError } from './source-queries.ts';

export default function NewWebsitePage() {
  const t = useTranslations('sources');
  const { tenant, tenantId } = useWorkspace();
  const open = useOpenPage();
  const onError = useSourceError();
  const create = useAction(
    (settings: SourceChange) => tenant.call(createSource, { body: { type: 'website', ...settings } }),
    {
      changes: ['sources'],
      onError,
      onDone: ({ id }) => open(`/sources/${id}`),
    },
  );
  return (
    <Page
      title={t('newWebsite')}
      lead={t('newWebsiteLead')}
      crumbs={[{ label: t('title'), to: `/w/${tenantId}/sources` }]}
    >
      <RequireEditor>
        <SourceForm
          type="website"
          submitLabel={t('createWebsite')}
          submit={create.mutate}
          isPending={create.isPending}
        />
      </RequireEditor>
    </Page>
  );
}

const MODES = ['review', 'publish'] as const;
const SCHEDULES = ['manual', 'hourly', 'daily', 'weekly'] as const;
const PAGES_MAX = 10_000;

type SourceFormProps = {
  type: Source['type'];
  /** The source to change; a new one by default. */
  source?: Source;
  submitLabel: string;
  submit: (settings: SourceChange) => void;
  isPending: boolean;
};

/** Splits a text with one address or rule on each line. */
const toLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function toFields(source: Source | undefined) {
  const { startUrls = [], include = [], exclude = [], pagesMax = PAGES_MAX } = source?.website ?? {};
  return {
    name: source?.name ?? '',
    startUrls: startUrls.join('\n'),
    include: include.join('\n'),
    exclude: exclude.join('\n'),
    pagesMax: pagesMax as number | string,
    mode: source?.mode ?? MODES[0],
    schedule: source?.schedule ?? ('daily' as const),
    baseUrl: source?.files?.baseUrl ?? '',
  };
}

type Fields = ReturnType<typeof toFields>;

function toSettings(fields: Fields, isWebsite: boolean): SourceChange {
  const { mode, schedule, pagesMax } = fields;
  const startUrls = toLines(fields.startUrls);
  const name = fields.name.trim() || (URL.canParse(startUrls[0] ?? '') ? new URL(startUrls[0]!).host : '');
  const baseUrl = fields.baseUrl.trim();
  if (!isWebsite) return { name, mode, ...(baseUrl && { files: { baseUrl } }) };
  const [include, exclude] = [toLines(fields.include), toLines(fields.exclude)];
  const website = {
    startUrls,
    ...(include.length > 0 && { include }),
    ...(exclude.length > 0 && { exclude }),
    ...(typeof pagesMax === 'number' && pagesMax !== PAGES_MAX && { pagesMax }),
  };
  return { name, website, mode, schedule };
}

const isWebUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

/**
 * True for a URL below which visitors can open files: https without query, fragment or credentials. Also true when
 * empty.
 */
export function isFolderUrl(text: string): boolean {
  if (text.trim() === '') return true;
  const url = URL.parse(text.trim());
  return url?.protocol === 'https:' && !/[?#@\s]/.test(text.trim());
}

type BaseUrlProps = {
  value: string;
  change: (baseUrl: string) => void;
  hint: string;
  isInvalid: boolean;
};

export function BaseUrlField({ value, change, hint, isInvalid }: BaseUrlProps) {
  const t = useTranslations('sources');
  return (
    <TextInput
      label={t('baseUrl')}
      description={hint}
      placeholder="https://www.example.com/manuals/"
      type="url"
      dir="ltr"
      spellCheck={false}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      error={isInvalid && t('needBaseUrl')}
    />
  );
}

export function SourceForm({ type, source, submitLabel, submit, isPending }: SourceFormProps) {
  const t = useTranslations('sources');
  const [fields, setFields] = useState(() => toFields(source));
  const [submitted, setSubmitted] = useState(false);
  const change = (changed: Partial<Fields>) => setFields((before) => ({ ...before, ...changed }));
  const isWebsite = type === 'website';
  const urls = toLines(fields.startUrls);
  const urlError = isWebsite && (urls.length === 0 || !urls.every(isWebUrl));
  const nameError = !isWebsite && fields.name.trim() === '';
  const baseUrlError = !isWebsite && !isFolderUrl(fields.baseUrl);
  function send(event: FormEvent) {
    event.preventDefault();
    setSubmitted(true);
    if (!urlError && !nameError && !baseUrlError) submit(toSettings(fields, isWebsite));
  }
  return (
    <form onSubmit={send} noValidate>
      <Stack maw={READABLE_WIDTH}>
        {isWebsite && <StartUrls fields={fields} change={change} isInvalid={submitted && urlError} />}
        <TextInput
          label={t('name')}
          {...(isWebsite && { description: t('nameHint') })}
          maxLength={80}
          value={fields.name}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          error={submitted && nameError && t('needName')}
        />
        {isWebsite && <Rules fields={fields} change={change} />}
        {!isWebsite && (
          <BaseUrlField
            value={fields.baseUrl}
            change={(baseUrl) => change({ baseUrl })}
            hint={`${t('baseUrlHint')} ${t('baseUrlChangeHint')}`}
            isInvalid={submitted && baseUrlError}
          />
        )}
        <RunSettings fields={fields} change={change} isWebsite={isWebsite} />
        <Group>
          <Button type="submit" loading={isPending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type FieldsProps = { fields: Fields; change: (changed: Partial<Fields>) => void };

function StartUrls({ fields, change, isInvalid }: FieldsProps & { isInvalid: boolean }) {
  const t = useTranslations('sources');
  return (
    <Textarea
      label={t('startUrls')}
      description={t('startUrlsHint')}
      placeholder="https://www.example.com/sitemap.xml"
      autosize
      minRows={1}
      dir="ltr"
      spellCheck={false}
      value={fields.startUrls}
      onChange={({ currentTarget }) => change({ startUrls: currentTarget.value })}
      error={isInvalid && t('needUrls')}
    />
  );
}

/** When the source is read, and what happens to changes; files have no schedule. */
function RunSettings({ fields, change, isWebsite }: FieldsProps & { isWebsite: boolean }) {
  const t = useTranslations('sources');
  return (
    <SimpleGrid cols={{ base: 1, xs: isWebsite ? 2 : 1 }}>
      <Select
        label={t('mode')}
        description={t('modeHint')}
        allowDeselect={false}
        value={fields.mode}
        onChange={(mode) => mode && change({ mode })}
        data={MODES.map((value) => ({ value, label: t(`modes.${value}`) }))}
      />
      {isWebsite && (
        <Select
          label={t('schedule')}
          description={t('scheduleHint')}
          allowDeselect={false}
          value={fields.schedule}
          onChange={(schedule) => schedule && change({ schedule })}
          data={SCHEDULES.map((value) => ({ value, label: t(`schedules.${value}`) }))}
        />
      )}
    </SimpleGrid>
  );
}

function Rules({ fields, change }: FieldsProps) {
  const t = useTranslations('sources');
  return (
    <>
      {(['include', 'exclude'] as const).map((name) => (
        <Textarea
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          placeholder={name === 'include' ? '/help/*' : '/help/archive/*'}
          autosize
          minRows={1}
          dir="ltr"
          spellCheck={false}
          value={fields[name]}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
        />
      ))}
      <NumberInput
        label={t('pagesMax')}
        min={1}
        max={PAGES_MAX}
        allowDecimal={false}
        maw={240}
        value={fields.pagesMax}
        onChange={(pagesMax) => change({ pagesMax })}
      />
    </>
  );
}
