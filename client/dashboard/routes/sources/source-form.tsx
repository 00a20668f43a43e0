import { NumberInput, PasswordInput, Select, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { SOURCE_LIMITS } from '../../../../contract/limits/sources.ts';
import { createSource } from '../../../../generated/routes.ts';
import type { Source, SourceChange } from '../../../../generated/types.ts';
import { type Field, Form, useFields } from '../../components/form.tsx';
import { useOpenPage } from '../../components/links.tsx';
import { Note, Page, READABLE_WIDTH } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useWorkspace } from '../../session.ts';
import { RequireEditor } from '../settings/settings.tsx';
import { useSourceError } from './source-queries.ts';

type Type = Source['type'];
type NewType = Exclude<Type, 'files'>;

/** Adds a source that is not uploaded. */
export function NewSourcePage({ type }: { type: NewType }) {
  const t = useTranslations('sources');
  const { tenant } = useWorkspace();
  const open = useOpenPage();
  const onError = useSourceError({ isForm: true });
  const create = useAction(
    (settings: SourceChange) => tenant.call(createSource, { body: { type, ...settings } }),
    {
      changes: ['sources'],
      onError,
      onDone: ({ id }) => open(`/sources/${id}`),
    },
  );
  return (
    <Page
      title={t(`new.${type}.title`)}
      lead={t(`new.${type}.lead`)}
      crumbs={[{ label: t('title'), to: '/sources' }]}
    >
      <RequireEditor>
        <SourceForm
          type={type}
          submitLabel={t(`new.${type}.title`)}
          submit={create.mutateAsync}
          isPending={create.isPending}
        />
      </RequireEditor>
    </Page>
  );
}

const MODES = ['review', 'publish'] as const;
const SCHEDULES = ['manual', 'hourly', 'daily', 'weekly'] as const;

type SourceFormProps = {
  type: Type;
  /** The source to change; a new one by default. */
  source?: Source;
  submitLabel: string;
  /** Rejects with the errors of fields. */
  submit: (settings: SourceChange) => Promise<unknown>;
  isPending: boolean;
};

/** Splits a text with one address or rule on each line. */
const toLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function toValues(source: Source | undefined) {
  const {
    startUrls = [],
    include = [],
    exclude = [],
    pagesMax = SOURCE_LIMITS.sourcePagesMax,
  } = source?.website ?? {};
  return {
    name: source?.name ?? '',
    startUrls: startUrls.join('\n'),
    include: include.join('\n'),
    exclude: exclude.join('\n'),
    pagesMax: pagesMax as number | string,
    mode: source?.mode ?? MODES[0],
    schedule: source?.schedule ?? ('daily' as const),
    baseUrl: source?.files?.baseUrl ?? '',
    address: source?.zendesk?.address ?? '',
    email: source?.zendesk?.email ?? '',
    apiToken: '',
  };
}

type Values = ReturnType<typeof toValues>;

function toSettings(values: Values, type: Type): SourceChange {
  const { mode, schedule, apiToken } = values;
  const given = values.name.trim();
  const token = apiToken.trim() === '' ? {} : { apiToken: apiToken.trim() };
  const toName = (url: string) => given || (URL.canParse(url) ? new URL(url).host : '');
  switch (type) {
    case 'website':
      return { name: toName(toLines(values.startUrls)[0] ?? ''), website: toWebsite(values), mode, schedule };
    case 'zendesk': {
      const [address, email] = [values.address.trim(), values.email.trim()];
      const zendesk = { address, ...(email && { email }) };
      return { name: toName(address), zendesk, ...token, mode, schedule };
    }
    case 'notion':
      return { name: given || 'Notion', ...token, mode, schedule };
    case 'files': {
      const baseUrl = values.baseUrl.trim();
      return { name: given, mode, files: baseUrl ? { baseUrl } : undefined };
    }
  }
}

function toWebsite({ pagesMax, ...values }: Values): SourceChange['website'] {
  const [include, exclude] = [toLines(values.include), toLines(values.exclude)];
  return {
    startUrls: toLines(values.startUrls),
    ...(include.length > 0 && { include }),
    ...(exclude.length > 0 && { exclude }),
    ...(typeof pagesMax === 'number' && pagesMax !== SOURCE_LIMITS.sourcePagesMax && { pagesMax }),
  };
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
  const fields = {
    website: useWebsiteFields(),
    files: useFilesFields(),
    zendesk: useZendeskFields(source),
    notion: useNotionFields(source),
  };
  const state = useFields<Values>({
    section: 'sources',
    initialValues: toValues(source),
    fields: fields[type],
  });
  return (
    <Form
      state={state}
      send={(values) => submit(toSettings(values, type))}
      isPending={isPending}
      submitLabel={submitLabel}
      maw={READABLE_WIDTH}
    />
  );
}

const NAME_INPUT = { maxLength: SOURCE_LIMITS.sourceNameCharsMax };

function useWebsiteFields(): readonly Field<Values>[] {
  const t = useTranslations('sources');
  const explainIssue = useAddressIssue();
  const lines = { as: Textarea, input: { ...ADDRESSES, autosize: true, minRows: 1 } };
  const areUrls = (urls: readonly string[]) => urls.length > 0 && urls.every(isWebUrl);
  return [
    {
      ...lines,
      name: 'startUrls',
      path: 'website.startUrls',
      explainIssue,
      input: { ...lines.input, placeholder: 'https://www.example.com/sitemap.xml' },
      check: (text: string) => !areUrls(toLines(text)) && t('needUrls'),
    },
    { name: 'name', as: TextInput, input: NAME_INPUT },
    { ...lines, name: 'include', input: { ...lines.input, placeholder: '/help/*' } },
    { ...lines, name: 'exclude', input: { ...lines.input, placeholder: '/help/archive/*' } },
    {
      name: 'pagesMax',
      as: NumberInput,
      input: { min: 1, max: SOURCE_LIMITS.sourcePagesMax, allowDecimal: false, maw: 240 },
    },
    useModeField(),
    useScheduleField(),
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

function useScheduleField(): Field<Values> {
  const t = useTranslations('sources');
  const data = SCHEDULES.map((value) => ({ value, label: t(`schedules.${value}`) }));
  return { name: 'schedule', as: Select, input: { allowDeselect: false, data } };
}

/** Names the setting of the server that allows an address that is not public. */
export function useAddressIssue(): NonNullable<Field['explainIssue']> {
  const t = useTranslations('sources');
  return ({ code, message }) => {
    const [, address = '', setting = ''] = /^(\S+) .*(SOURCE_NETWORKS=.*) to read/.exec(message) ?? [];
    if (code === 'private_address') return t('privateAddress', { address, setting });
    return code === 'invalid_url' ? t('needHttps') : undefined;
  };
}

function useZendeskFields(source: Source | undefined): readonly Field<Values>[] {
  const t = useTranslations('sources');
  const explainIssue = useAddressIssue();
  return [
    {
      name: 'address',
      path: 'zendesk.address',
      as: TextInput,
      input: { ...ADDRESSES, type: 'url', placeholder: 'https://example.zendesk.com' },
      check: (url: string) => !isWebUrl(url.trim()) && t('needHttps'),
      explainIssue,
    },
    {
      name: 'email',
      path: 'zendesk.email',
      as: TextInput,
      input: { ...ADDRESSES, type: 'email', autoComplete: 'off' },
    },
    { ...useTokenField(source), input: { ...TOKEN_INPUT, description: t('zendeskTokenHint') } },
    { name: 'name', as: TextInput, input: NAME_INPUT },
    useModeField(),
    useScheduleField(),
  ];
}

function useNotionFields(source: Source | undefined): readonly Field<Values>[] {
  const t = useTranslations('sources');
  return [
    {
      ...useTokenField(source),
      input: { ...TOKEN_INPUT, description: t('notionTokenHint') },
      check: (token: string) => !source?.hasApiToken && token.trim() === '' && t('needToken'),
    },
    { name: 'name', as: TextInput, input: { ...NAME_INPUT, description: undefined, placeholder: 'Notion' } },
    useModeField(),
    useScheduleField(),
  ];
}

const TOKEN_INPUT = { dir: 'ltr', autoComplete: 'off' } as const;

/** A stored token is not shown: the field is for a new one. */
function useTokenField(source: Source | undefined): Field<Values> {
  const t = useTranslations('sources');
  return {
    name: 'apiToken',
    as: PasswordInput,
    below: source?.hasApiToken && <Note>{t('tokenStored')}</Note>,
    explainIssue: ({ code }) => (code === 'missing_token' ? t('needToken') : undefined),
  };
}
