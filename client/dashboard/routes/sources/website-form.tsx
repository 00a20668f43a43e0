import { NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { createSource } from '../../../../generated/routes.ts';
import type { Source, SourceChange } from '../../../../generated/types.ts';
import { type Field, Form, useFields } from '../../components/form.tsx';
import { useOpenPage } from '../../components/links.tsx';
import { Page, READABLE_WIDTH } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { useSourceError } from './source-queries.ts';

export default function NewWebsitePage() {
  const t = useTranslations('sources');
  const { tenant } = useWorkspace();
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
    <Page title={t('newWebsite')} lead={t('newWebsiteLead')} crumbs={[{ label: t('title'), to: '/sources' }]}>
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

function toValues(source: Source | undefined) {
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

type Values = ReturnType<typeof toValues>;

function toSettings(values: Values, isWebsite: boolean): SourceChange {
  const { mode, schedule, pagesMax } = values;
  const startUrls = toLines(values.startUrls);
  const name = values.name.trim() || (URL.canParse(startUrls[0] ?? '') ? new URL(startUrls[0]!).host : '');
  const baseUrl = values.baseUrl.trim();
  if (!isWebsite) return { name, mode, files: baseUrl ? { baseUrl } : undefined };
  const [include, exclude] = [toLines(values.include), toLines(values.exclude)];
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

/** Properties of an input for addresses. */
const ADDRESSES = { dir: 'ltr', spellCheck: false } as const;
export const BASE_URL_INPUT = {
  ...ADDRESSES,
  type: 'url',
  placeholder: 'https://www.example.com/manuals/',
} as const;

export function SourceForm({ type, source, submitLabel, submit, isPending }: SourceFormProps) {
  const isWebsite = type === 'website';
  const [websiteFields, filesFields] = [useWebsiteFields(), useFilesFields()];
  const state = useFields<Values>({
    section: 'sources',
    initialValues: toValues(source),
    fields: isWebsite ? websiteFields : filesFields,
  });
  return (
    <Form
      state={state}
      send={(values) => submit(toSettings(values, isWebsite))}
      isPending={isPending}
      submitLabel={submitLabel}
      button={{ className: 'self-start' }}
      maw={READABLE_WIDTH}
    />
  );
}

const NAME_INPUT = { maxLength: 80 };

function useWebsiteFields(): readonly Field<Values>[] {
  const t = useTranslations('sources');
  const lines = { as: Textarea, input: { ...ADDRESSES, autosize: true, minRows: 1 } };
  const areUrls = (urls: readonly string[]) => urls.length > 0 && urls.every(isWebUrl);
  return [
    {
      ...lines,
      name: 'startUrls',
      input: { ...lines.input, placeholder: 'https://www.example.com/sitemap.xml' },
      check: (text: string) => !areUrls(toLines(text)) && t('needUrls'),
    },
    { name: 'name', as: TextInput, input: NAME_INPUT },
    { ...lines, name: 'include', input: { ...lines.input, placeholder: '/help/*' } },
    { ...lines, name: 'exclude', input: { ...lines.input, placeholder: '/help/archive/*' } },
    {
      name: 'pagesMax',
      as: NumberInput,
      input: { min: 1, max: PAGES_MAX, allowDecimal: false, maw: 240 },
    },
    useModeField(),
    {
      name: 'schedule',
      as: Select,
      input: {
        allowDeselect: false,
        data: SCHEDULES.map((value) => ({ value, label: t(`schedules.${value}`) })),
      },
    },
  ];
}

/** Files have no schedule. */
function useFilesFields(): readonly Field<Values>[] {
  const t = useTranslations('sources');
  return [
    {
      name: 'name',
      as: TextInput,
      input: { ...NAME_INPUT, description: undefined },
      check: (name: string) => name.trim() === '' && t('needName'),
    },
    {
      name: 'baseUrl',
      as: TextInput,
      input: { ...BASE_URL_INPUT, description: `${t('baseUrlHint')} ${t('baseUrlChangeHint')}` },
      check: (url: string) => !isFolderUrl(url) && t('needBaseUrl'),
    },
    useModeField(),
  ];
}

/** What happens to changes. */
function useModeField(): Field<Values> {
  const t = useTranslations('sources');
  const data = MODES.map((value) => ({ value, label: t(`modes.${value}`) }));
  return { name: 'mode', as: Select, input: { allowDeselect: false, data } };
}
