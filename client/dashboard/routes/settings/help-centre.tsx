import { Alert, Anchor, Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { TenantSettings } from '../../../sdk/types.ts';
import { type FormState, trim } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { useAction } from '../../components/use-action.tsx';
import { useHelpAddress, useWorkspace } from '../../session.ts';
import { HelpDomainCard } from './help-domain.tsx';
import { SettingsView } from './settings.tsx';
import { Rows, SettingsForm } from './settings-form.tsx';

type FormProps = { settings: TenantSettings };
type Link = TenantSettings['helpCentre']['headerLinks'][number];

export default function HelpCentreSettings() {
  return (
    <SettingsView tab="helpCentre">
      {(settings) => (
        <>
          <BasicsForm settings={settings} />
          <HelpDomainCard />
          <ReadersForm settings={settings} />
          <LinksForm settings={settings} name="headerLinks" />
          <LinksForm settings={settings} name="footerLinks" />
        </>
      )}
    </SettingsView>
  );
}

function BasicsForm({ settings }: FormProps) {
  return (
    <SettingsForm
      settings={settings}
      section="helpCentre"
      title="basics"
      lead="basicsLead"
      fields={[
        {
          name: 'enabled',
          as: Switch,
          path: 'helpCentre.enabled',
          below: settings.helpCentre.enabled && <OpenLink />,
        },
        {
          name: 'title',
          as: TextInput,
          path: 'helpCentre.title',
          clean: trim,
          input: { placeholder: settings.name, dir: 'auto', maw: 520 },
        },
        {
          name: 'tagline',
          as: TextInput,
          path: 'helpCentre.tagline',
          clean: trim,
          input: { dir: 'auto', maw: 520 },
        },
      ]}
    />
  );
}

function OpenLink() {
  const t = useTranslations('settings.helpCentre');
  const address = useHelpAddress().data?.url;
  if (address === undefined) return null;
  return (
    <Group gap="xs">
      <Anchor href={address} target="_blank" rel="noopener" dir="ltr" className="wrapped">
        {address}
      </Anchor>
      <Icon name="arrow-up-right" size={16} />
      <span className="unseen">{t('newTab')}</span>
    </Group>
  );
}

function ReadersForm({ settings }: FormProps) {
  return (
    <SettingsForm
      settings={settings}
      section="helpCentre"
      title="readers"
      fields={[
        {
          name: 'showGuide',
          as: Switch,
          path: 'helpCentre.showGuide',
          below: <AllowOrigin settings={settings} />,
        },
        ...(['searchEngines', 'aiCrawlers'] as const).map((name) => ({
          name,
          as: Switch,
          path: `helpCentre.${name}`,
        })),
      ]}
    />
  );
}

/** The guide works on allowed sites only, and the pages of the help centre are one. */
function AllowOrigin({ settings: { allowedOrigins, helpCentre } }: FormProps) {
  const t = useTranslations('settings.helpCentre');
  const { canEdit, tenant } = useWorkspace();
  const address = useHelpAddress().data?.url;
  const allow = useAction(
    (added: string) => tenant.settings.change({ allowedOrigins: [...allowedOrigins, added] }),
    { changes: ['settings', 'installation'] },
  );
  if (address === undefined) return null;
  const { origin } = new URL(address);
  if (!helpCentre.enabled || !helpCentre.showGuide || allowedOrigins.includes(origin)) return null;
  return (
    <Alert color="yellow">
      <Stack gap="sm" align="flex-start">
        {t('notAllowed', { origin })}
        {canEdit && (
          <Button variant="default" loading={allow.isPending} onClick={() => allow.mutate(origin)}>
            {t('allow', { origin })}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

const NEW_LINK: Link = { label: '', url: '' };

function LinksForm({ settings, name }: FormProps & { name: 'headerLinks' | 'footerLinks' }) {
  const t = useTranslations('settings.helpCentre');
  const rows = (form: FormState) => (
    <Rows
      form={form}
      path={name}
      newRow={NEW_LINK}
      firstField=".label"
      labels={{
        add: t('addLink'),
        none: t('noLinks'),
        remove: (number) => t('removeLink', { number }),
        up: (number) => t('up', { number }),
      }}
      row={(at) => <LinkFields form={form} path={`${name}.${at}`} number={at + 1} />}
    />
  );
  const findErrors = (links: readonly Link[]) =>
    Object.fromEntries(
      links.flatMap(({ label, url }, at) => [
        ...(label === '' ? [[`${name}.${at}.label`, t('needLabel')]] : []),
        ...(isWebAddress(url) ? [] : [[`${name}.${at}.url`, t('badUrl')]]),
      ]),
    );
  return (
    <SettingsForm
      settings={settings}
      section="helpCentre"
      title={name}
      fields={[{ name, path: `helpCentre.${name}`, clean: cleanLinks, check: findErrors, render: rows }]}
    />
  );
}

const cleanLinks = (links: readonly Link[]) =>
  links
    .map(({ label, url }) => ({ label: label.trim(), url: completeUrl(url.trim()) }))
    .filter(({ label, url }) => label + url !== '');

const completeUrl = (typed: string) => (typed === '' || /^[a-z]+:/i.test(typed) ? typed : `https://${typed}`);

const isWebAddress = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

function LinkFields({ form, path, number }: { form: FormState; path: string; number: number }) {
  const t = useTranslations('settings.helpCentre');
  const { canEdit } = useWorkspace();
  return (
    <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
      <TextInput
        aria-label={t('linkLabel', { number })}
        placeholder={t('linkLabelPlaceholder')}
        readOnly={!canEdit}
        dir="auto"
        {...form.getInputProps(`${path}.label`)}
      />
      <TextInput
        aria-label={t('linkUrl', { number })}
        placeholder="https://shop.example"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        readOnly={!canEdit}
        {...form.getInputProps(`${path}.url`)}
      />
    </Group>
  );
}
