import { TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { useWorkspace } from '../../session.ts';
import { SettingsCard, useSettingsForm } from './settings-form.tsx';

const FIELDS = {
  email: {
    type: 'email',
    error: 'badEmail',
    isValid: (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
  },
  url: {
    type: 'url',
    error: 'badUrl',
    isValid: (text: string) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text),
  },
  phone: {
    type: 'tel',
    error: 'badPhone',
    isValid: (text: string) => /^\+?\d(?: ?\d){2,14}$/.test(text),
  },
} as const;
const NAMES = ['email', 'url', 'phone'] as const;

type Values = Readonly<Record<(typeof NAMES)[number], string>>;

/** Where visitors reach a person. An empty field removes it. */
export function ContactForm({ settings }: { readonly settings: TenantSettings }) {
  const t = useTranslations('settings.general');
  const { canEdit } = useWorkspace();
  const card = useSettingsForm<Values>({
    settings,
    toValues: ({ contact: { email = '', url = '', phone = '' } = {} }) => ({ email, url, phone }),
    toChange: (changed) => ({
      contact: Object.fromEntries(Object.entries(changed).map(([name, text]) => [name, text || null])),
    }),
    fieldPaths: { 'contact.email': 'email', 'contact.url': 'url', 'contact.phone': 'phone' },
    normalize: ({ email, url, phone }) => ({
      email: email.trim(),
      url: url.trim(),
      phone: phone.trim().replace(/[\s./-]+/g, ' '),
    }),
    validate: (values) => {
      const wrong = NAMES.filter((name) => values[name] !== '' && !FIELDS[name].isValid(values[name]));
      return Object.fromEntries(wrong.map((name) => [name, t(FIELDS[name].error)]));
    },
  });
  return (
    <SettingsCard title={t('contact')} lead={t('contactLead')} form={card}>
      {NAMES.map((name) => (
        <TextInput
          key={name}
          type={FIELDS[name].type}
          label={t(name)}
          description={t(`${name}Hint`)}
          autoComplete="off"
          spellCheck={false}
          readOnly={!canEdit}
          dir="ltr"
          maw={520}
          {...card.form.getInputProps(name)}
        />
      ))}
    </SettingsCard>
  );
}
