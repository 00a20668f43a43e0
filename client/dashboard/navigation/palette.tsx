import '../theme-controls.css';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight, type SpotlightStore, useSpotlight } from '@mantine/spotlight';
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { listCollections } from '../../../generated/routes.ts';
import { LANGUAGES } from '../catalogs.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { useOpenPage } from '../components/links.tsx';
import { getOwnName, setLanguage } from '../languages.ts';
import { useSession, useTenantQuery, useWorkspace } from '../session.ts';
import { COLOR_SCHEMES, FIELD_PATHS, PAGES, SETTINGS, SETTINGS_PAGES } from './pages.ts';
import { useSignOut } from './sign-out.ts';

type Command = {
  label: string;
  /** Other words to find it by. */
  words?: string;
  icon: IconName;
  run: () => unknown;
};
type CommandGroup = { label: string; commands: readonly Command[] };

type PaletteProps = {
  close: () => void;
  showShortcuts: () => void;
};

/** Opens pages and articles and runs actions by name. */
export function Palette({ close, showShortcuts }: PaletteProps) {
  const t = useTranslations('palette');
  const listId = useId();
  const [store] = useState(createStore);
  const { query } = useSpotlight(store);
  const [selected, setSelected] = useState(0);
  useEffect(() => store.updateState((state) => ({ ...state, opened: true })), [store]);
  const groups = useCommands(query, showShortcuts);
  const commands = groups.flatMap((group) => group.commands);
  const at = Math.min(selected, commands.length - 1);
  const current = commands[at];
  const toOptionId = (command: Command) => `${listId}-${commands.indexOf(command)}`;
  function press({ key, nativeEvent }: KeyboardEvent) {
    if (!current || nativeEvent.isComposing) return;
    if (key === 'Enter') document.getElementById(toOptionId(current))?.click();
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    const next = (at + step + commands.length) % commands.length;
    setSelected(next);
    document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' });
  }
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      scrollable
      clearQueryOnClose={false}
      onSpotlightClose={close}
      onQueryChange={() => setSelected(0)}
      attributes={{ content: { 'aria-label': t('title') } }}
    >
      <Spotlight.Search
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current && toOptionId(current)}
        aria-label={t('search')}
        autoComplete="off"
        placeholder={t('placeholder')}
        data-autofocus
        onKeyDown={press}
      />
      <Spotlight.ActionsList
        {...({ viewportProps: { id: listId, role: 'listbox', 'aria-label': t('results') } } as object)}
      >
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group.label} label={group.label} role="group" aria-label={group.label}>
            {group.commands.map((command) => (
              // The field keeps the focus and refers to the option.
              <Spotlight.Action
                key={toOptionId(command)}
                renderRoot={(props) => <button type="button" {...props} id={toOptionId(command)} />}
                role="option"
                aria-selected={command === current}
                data-selected={command === current || undefined}
                label={command.label}
                leftSection={<Icon name={command.icon} />}
                onClick={() => void command.run()}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
      <Spotlight.Footer role="status" fz="sm" c="dimmed">
        {commands.length === 0 ? t('nothingFound') : t('found', { count: commands.length })}
      </Spotlight.Footer>
    </Spotlight.Root>
  );
}

/** A store that never knows the list: Spotlight would mark options in the document, behind React's back. */
function createStore(): SpotlightStore {
  const [store] = createSpotlight();
  return {
    ...store,
    updateState: (value) =>
      store.setState((state) => ({
        ...(typeof value === 'function' ? value(state) : value),
        listId: '',
      })),
  };
}

/** Returns the options that contain the words and that the user may use. */
function useCommands(query: string, showShortcuts: () => void): readonly CommandGroup[] {
  const t = useTranslations('palette');
  const shell = useTranslations('shell');
  const article = useTranslations('articles');
  const locale = useLocale();
  const fold = (value: string) => value.toLocaleLowerCase(locale);
  const words = fold(query).split(/\s+/).filter(Boolean);
  const find = (commands: readonly Command[]) => {
    const contains = (text: string) => words.every((word) => fold(text).includes(word));
    const named = commands.filter(({ label }) => contains(label));
    const others = commands.filter((command) => contains(`${command.label} ${command.words ?? ''}`));
    // What has the words in its name comes first.
    return [...new Set([...named, ...others])];
  };
  const settings = useSettingCommands();
  const workspaces = useWorkspaceCommands();
  const collections = useCollectionCommands(words.length > 0);
  const groups = [
    { label: t('pages'), commands: find(usePageCommands()) },
    // Many: shown once they are searched for.
    ...(words.length > 0
      ? [
          { label: t('settings'), commands: find(settings) },
          { label: shell('workspace'), commands: find(workspaces) },
          { label: article('collection'), commands: find(collections) },
        ]
      : []),
    // Not filtered again: the server has searched slugs and aliases too.
    { label: t('articles'), commands: useArticleCommands(query) },
    { label: t('actions'), commands: find(useActionCommands(showShortcuts)) },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

function usePageCommands(): readonly Command[] {
  const t = useTranslations();
  const open = useOpenPage();
  const { canEdit } = useWorkspace();
  const isAllowed = ({ editorsOnly }: { editorsOnly: boolean }) => canEdit || !editorsOnly;
  return [
    ...PAGES.filter(isAllowed).map(({ key, path, icon }) => ({
      label: t(`shell.pages.${key}`),
      words: t(`palette.words.pages.${key}`),
      icon,
      run: () => open(path),
    })),
    {
      label: t('start.title'),
      words: t('palette.words.actions.start'),
      icon: 'world-upload',
      run: () => open('/start'),
    },
    {
      label: t('installation.title'),
      words: t('palette.words.actions.installation'),
      icon: 'arrow-up-right',
      run: () => open('/installation'),
    },
    ...SETTINGS_PAGES.filter(isAllowed).map(({ key, path }) => ({
      label: `${t('shell.pages.settings')} › ${t(`settings.tabs.${key}`)}`,
      words: t(`palette.words.tabs.${key}`),
      icon: PAGES.at(-1)!.icon,
      run: () => open(`/settings${path}`),
    })),
  ];
}

/** Opens the page of a setting at its field. */
function useSettingCommands(): readonly Command[] {
  const t = useTranslations();
  const open = useOpenPage();
  return SETTINGS.flatMap(([page, section, fields]) =>
    fields.map((field): Command => {
      const text = t as unknown as (key: string) => string;
      const path = SETTINGS_PAGES.find(({ key }) => key === page)?.path ?? '';
      return {
        label: `${t(`settings.tabs.${page}`)} › ${text(`settings.${section}.${field}`)}`,
        words: text(`palette.words.${section}.${field}`),
        icon: 'settings',
        run: () => open(`/settings${path}`, { hash: FIELD_PATHS[`${section}.${field}`] ?? field }),
      };
    }),
  );
}

/** Opens the other workspaces of the user. */
function useWorkspaceCommands(): readonly Command[] {
  const t = useTranslations('shell');
  const { memberships } = useSession();
  const { tenantId } = useWorkspace();
  const navigate = useNavigate();
  return memberships
    .filter((each) => each.tenantId !== tenantId)
    .map((each) => ({
      label: `${t('workspace')} › ${each.name}`,
      icon: 'selector',
      run: () => navigate({ to: `/w/${each.tenantId}` }),
    }));
}

/** Lists the articles of a collection. */
function useCollectionCommands(enabled: boolean): readonly Command[] {
  const t = useTranslations('articles');
  const open = useOpenPage();
  const { data } = useTenantQuery(
    ['articles', 'collections'],
    (tenant, { signal }) => tenant.call(listCollections, { signal }),
    { enabled },
  );
  return (data?.data ?? []).map(({ id, name }) => ({
    label: `${t('collection')} › ${name}`,
    icon: 'list',
    run: () => open('/articles', { search: { collection: id } }),
  }));
}

const ARTICLES_SHOWN = 6;
const TYPING_MILLIS = 150;

function useArticleCommands(text: string): readonly Command[] {
  const open = useOpenPage();
  const [q] = useDebouncedValue(text.trim(), TYPING_MILLIS);
  const articles = useTenantQuery(
    ['articles', 'palette', q],
    (tenant, { signal }) => tenant.articles.list({ q, limit: ARTICLES_SHOWN }).page(undefined, { signal }),
    { enabled: q !== '', placeholderData: keepPreviousData },
  );
  if (text.trim() === '') return [];
  return (articles.data?.data ?? []).map(({ id, title }) => ({
    label: title,
    icon: 'file-text',
    run: () => open(`/articles/${id}`),
  }));
}

function useActionCommands(showShortcuts: () => void): readonly Command[] {
  const t = useTranslations();
  const open = useOpenPage();
  const navigate = useNavigate();
  const { canEdit } = useWorkspace();
  const { setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  const forEditors: Command[] = [
    { label: t('articles.new'), icon: 'file-plus', run: () => open('/articles/new') },
    { label: t('replace.title'), icon: 'search', run: () => open('/articles/replace') },
    { label: t('articles.importFiles'), icon: 'cloud-upload', run: () => open('/sources/import') },
    { label: t('articles.addWebsite'), icon: 'cloud-upload', run: () => open('/sources/website') },
    { label: t('sources.new.zendesk.title'), icon: 'cloud-upload', run: () => open('/sources/zendesk') },
    { label: t('sources.new.notion.title'), icon: 'cloud-upload', run: () => open('/sources/notion') },
    { label: t('answerTests.add'), icon: 'checklist', run: () => open('/answer-tests') },
    { label: t('members.invite'), icon: 'user', run: () => open('/settings/members') },
    { label: t('apiKeys.new'), icon: 'arrow-up-right', run: () => open('/settings/api-keys') },
    { label: t('automation.new'), icon: 'arrow-up-right', run: () => open('/settings/automation') },
    { label: t('webhooks.new'), icon: 'arrow-up-right', run: () => open('/settings/webhooks') },
    { label: t('transfer.export'), icon: 'download', run: () => open('/settings/transfer') },
    { label: t('transfer.import'), icon: 'cloud-upload', run: () => open('/settings/transfer') },
  ];
  return [
    ...(canEdit ? forEditors : []),
    ...COLOR_SCHEMES.map(
      ([scheme, key]): Command => ({
        label: `${t('shell.theme')} › ${t(`shell.${key}`)}`,
        words: t('palette.words.actions.theme'),
        icon: 'eye',
        run: () => setColorScheme(scheme),
      }),
    ),
    ...LANGUAGES.map(
      (each): Command => ({
        label: `${t('shell.language')} › ${getOwnName(each)}`,
        words: t('palette.words.actions.language'),
        icon: 'message-circle',
        run: () => setLanguage(each),
      }),
    ),
    {
      label: t('shell.yourAccount'),
      words: t('palette.words.actions.account'),
      icon: 'user',
      run: () => navigate({ to: '/account' }),
    },
    { label: t('palette.shortcuts'), icon: 'keyboard', run: showShortcuts },
    {
      label: t('shell.signOut'),
      words: t('palette.words.actions.signOut'),
      icon: 'logout',
      run: () => signOut.mutate(),
    },
  ];
}
