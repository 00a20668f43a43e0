import { Button, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconUser } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import type { SessionState } from '../../sdk/types.ts';
import { useStep } from '../components/use-step.ts';
import { dropAllDrafts } from '../editor/draft.ts';
import { chooseLanguage, LANGUAGES } from '../language.ts';
import { queries, SESSION } from '../queries.ts';
import { account } from '../service.ts';

const COLOURS = [
  ['auto', 'coloursAuto'],
  ['light', 'coloursLight'],
  ['dark', 'coloursDark'],
] as const;

/** The person, their language and colours, and the way out. */
export function AccountMenu({ session }: { readonly session: SessionState }) {
  const t = useTranslations('shell');
  const locale = useLocale();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useStep(() => account.signOut(), {
    onDone: async () => {
      dropAllDrafts();
      await navigate({ to: '/sign-in' });
      queries.clear();
      queries.setQueryData(SESSION, null);
    },
  });
  const marked = (chosen: boolean) =>
    chosen ? { 'aria-checked': true, fw: 600 } : { 'aria-checked': false };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconUser size={16} aria-hidden />}>
          {t('account')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" className="wrap">
            {t('signedInAs', { email: session.email })}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t('language')}</Menu.Label>
        {LANGUAGES.map((each) => (
          <Menu.Item
            key={each}
            role="menuitemradio"
            lang={each}
            onClick={() => chooseLanguage(each)}
            {...marked(locale.startsWith(each))}
          >
            {new Intl.DisplayNames([each], { type: 'language' }).of(each)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('colours')}</Menu.Label>
        {COLOURS.map(([scheme, key]) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            onClick={() => setColorScheme(scheme)}
            {...marked(colorScheme === scheme)}
          >
            {t(key)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={16} aria-hidden />}>
          {t('yourAccount')}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
