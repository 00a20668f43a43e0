import { Muted, Note } from '../components/text.ts';
import '../theme-controls.css';
import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  type Icon,
  IconArrowUpRight,
  IconCloudUpload,
  IconFilePlus,
  IconFileText,
  IconKeyboard,
  IconUser,
} from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { useTenantQuery, useWorkspace } from '../session.ts';
import { PAGES, SETTINGS_PAGES } from './pages.ts';

type Command = {
  id: string;
  label: string;
  icon: Icon;
  run: () => void;
};

type PaletteProps = {
  close: () => void;
  showShortcuts: () => void;
};

const ARTICLES_SHOWN = 6;
const TYPING_MILLIS = 150;

/** Opens pages and articles and runs actions by name. */
export function Palette({ close, showShortcuts }: PaletteProps) {
  const t = useTranslations('palette');
  const listId = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const groups = useCommands(text, showShortcuts);
  const commands = groups.flatMap((group) => group.commands);
  const active = commands[Math.min(chosen, commands.length - 1)];
  const run = (command: Command | undefined) => {
    if (!command) return;
    close();
    command.run();
  };
  function press(event: KeyboardEvent): void {
    const nextIndex = getNextIndex(event.key, chosen, commands.length);
    if (event.key === 'Enter') run(active);
    else if (nextIndex === undefined) return;
    else setChosen(nextIndex);
    event.preventDefault();
  }
  return (
    <Modal opened onClose={close} title={t('title')} size="lg" yOffset="10vh" centered={false}>
      <TextInput
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={active && toOptionId(listId, active)}
        aria-label={t('search')}
        autoComplete="off"
        placeholder={t('placeholder')}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={listId} aria-label={t('results')} className="palette-list">
        {groups.map(({ label, commands }) => (
          <CommandList key={label} {...{ label, commands, active, run, listId }} />
        ))}
      </div>
      <Muted role="status" mt="xs">
        {commands.length === 0 ? t('nothingFound') : t('found', { count: commands.length })}
      </Muted>
    </Modal>
  );
}

const toOptionId = (listId: string, { id }: Command) => `${listId}-${id}`;

/** Returns the index that an arrow key moves to; undefined for other keys. */
function getNextIndex(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index - 1 + count) % count;
  return undefined;
}

type CommandListProps = CommandGroup & {
  listId: string;
  active: Command | undefined;
  run: (command: Command) => void;
};

/** The field keeps the focus, so options are not focusable. */
function CommandList({ label, commands, listId, active, run }: CommandListProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
    <div role="group" aria-label={label}>
      <Note fw={600} mt="xs" aria-hidden>
        {label}
      </Note>
      {commands.map((command) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
        // biome-ignore lint/a11y/useFocusableInteractive: the field refers to it
        <div
          key={command.id}
          id={toOptionId(listId, command)}
          role="option"
          aria-selected={command.id === active?.id}
          className="palette-option"
          onClick={() => run(command)}
          ref={(node) => {
            if (command.id === active?.id) node?.scrollIntoView({ block: 'nearest' });
          }}
        >
          <command.icon size={16} aria-hidden />
          <span dir="auto" className="wrap">
            {command.label}
          </span>
        </div>
      ))}
    </div>
  );
}

type CommandGroup = { label: string; commands: readonly Command[] };

/** Returns the options that contain the words and that the user may use. */
function useCommands(text: string, showShortcuts: () => void): readonly CommandGroup[] {
  const t = useTranslations('palette');
  const locale = useLocale();
  const fold = (value: string) => value.toLocaleLowerCase(locale);
  const words = fold(text).split(/\s+/).filter(Boolean);
  const matches = ({ label }: Command) => words.every((word) => fold(label).includes(word));
  const groups = [
    { label: t('pages'), commands: usePageCommands().filter(matches) },
    // Not filtered again: the server has searched slugs and aliases too.
    { label: t('articles'), commands: useArticleCommands(text) },
    { label: t('actions'), commands: useActionCommands(showShortcuts).filter(matches) },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

function usePageCommands(): readonly Command[] {
  const t = useTranslations();
  const navigate = useNavigate();
  const { tenantId, canEdit } = useWorkspace();
  const open = (path: string) => () => void navigate({ to: `/w/${tenantId}${path}` });
  const isAllowed = ({ editorsOnly }: { editorsOnly: boolean }) => canEdit || !editorsOnly;
  return [
    ...PAGES.filter(isAllowed).map(({ key, path, icon }) => ({
      id: `page:${key}`,
      label: t(`shell.pages.${key}`),
      icon,
      run: open(path),
    })),
    {
      id: 'page:installation',
      label: t('installation.title'),
      icon: IconArrowUpRight,
      run: open('/installation'),
    },
    ...SETTINGS_PAGES.filter(isAllowed).map(({ key, path }) => ({
      id: `settings:${key}`,
      label: `${t('shell.pages.settings')} › ${t(`settings.tabs.${key}`)}`,
      icon: PAGES.at(-1)!.icon,
      run: open(`/settings${path}`),
    })),
  ];
}

function useArticleCommands(text: string): readonly Command[] {
  const navigate = useNavigate();
  const { tenantId } = useWorkspace();
  const [q] = useDebouncedValue(text.trim(), TYPING_MILLIS);
  const articles = useTenantQuery(
    ['articles', 'palette', q],
    (tenant, { signal }) => tenant.articles.list({ q, limit: ARTICLES_SHOWN }).page(undefined, { signal }),
    { enabled: q !== '', placeholderData: keepPreviousData },
  );
  if (text.trim() === '') return [];
  return (articles.data?.data ?? []).map(({ id, title }) => ({
    id,
    label: title,
    icon: IconFileText,
    run: () => void navigate({ to: `/w/${tenantId}/articles/${id}` }),
  }));
}

function useActionCommands(showShortcuts: () => void): readonly Command[] {
  const t = useTranslations();
  const navigate = useNavigate();
  const { tenantId, canEdit } = useWorkspace();
  const open = (path: string) => () => void navigate({ to: `/w/${tenantId}${path}` });
  const forEditors: Command[] = [
    { id: 'new', label: t('articles.new'), icon: IconFilePlus, run: open('/articles/new') },
    {
      id: 'import',
      label: t('articles.importFiles'),
      icon: IconCloudUpload,
      run: open('/sources/import'),
    },
    {
      id: 'website',
      label: t('articles.addWebsite'),
      icon: IconCloudUpload,
      run: open('/sources/website'),
    },
    { id: 'invite', label: t('members.invite'), icon: IconUser, run: open('/settings/members') },
    { id: 'key', label: t('apiKeys.new'), icon: IconArrowUpRight, run: open('/settings/api-keys') },
  ];
  return [
    ...(canEdit ? forEditors : []),
    {
      id: 'account',
      label: t('shell.yourAccount'),
      icon: IconUser,
      run: () => void navigate({ to: '/account' }),
    },
    { id: 'shortcuts', label: t('palette.shortcuts'), icon: IconKeyboard, run: showShortcuts },
  ];
}
