import { MultiSelect } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useTenantQuery } from '../session.ts';

type AudienceFieldProps = {
  value: readonly string[];
  /** Absent for readers. */
  change: ((audience: string[]) => void) | undefined;
  disabled?: boolean;
  /** Replace the texts of an article's audience. */
  texts?: { label: string; placeholder: string };
};

/** Chooses the entries of an audience: of an article, or of a customer whom the playground imitates. */
export function AudienceField({ value, change, disabled, texts }: AudienceFieldProps) {
  const t = useTranslations('articles');
  const [typed, setTyped] = useState('');
  const settings = useTenantQuery(['settings'], (tenant, options) => tenant.settings.read(options));
  const attributes = settings.data?.customerAttributes ?? [];
  const toLabel = (entry: string) => (entry === 'signed_in' ? t('signedIn') : entry.replace('=', ': '));
  // A text can have any value: the one that is typed is offered for each of these attributes.
  const entries = attributes.flatMap(({ name, type, values = [] }) => {
    const possible = { boolean: ['true', 'false'], one_of: values, text: [typed.trim()].filter(Boolean) };
    return possible[type].map((each) => `${name}=${each}`);
  });
  const all = [...new Set(['signed_in', ...entries, ...value])];
  return (
    <MultiSelect
      label={texts?.label ?? t('audience')}
      description={change && !texts ? t('audienceHint') : undefined}
      placeholder={value.length === 0 ? (texts?.placeholder ?? t('audiences.everyone')) : undefined}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      readOnly={!change}
      disabled={disabled}
      value={[...value]}
      onChange={change}
      data={all.map((entry) => ({ value: entry, label: toLabel(entry) }))}
      filter={({ options, search }) =>
        options.filter(
          (option) => 'label' in option && option.label.toLowerCase().includes(search.trim().toLowerCase()),
        )
      }
    />
  );
}
