import { ActionIcon, Kbd, Popover, Table } from '@mantine/core';
import { useDisclosure, useHotkeys, useOs } from '@mantine/hooks';
import { useTranslations } from 'use-intl';
import { IconKeyboard } from '../components/icons.tsx';

/** Help for the editor's keyboard shortcuts. All use a modifier, so typing never triggers one. */
export function Shortcuts() {
  const t = useTranslations('editor');
  const [opened, { toggle, close }] = useDisclosure(false);
  const modifier = useOs() === 'macos' ? '⌘' : 'Ctrl';
  useHotkeys([['mod+/', toggle]], []);
  const rows = [
    ['S', t('shortcutSave')],
    ['Enter', t('shortcutNext')],
    ['/', t('shortcutHelp')],
  ] as const;
  return (
    <Popover opened={opened} onDismiss={close} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon variant="default" size={36} onClick={toggle} aria-label={t('shortcuts')}>
          <IconKeyboard size={18} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('shortcuts')}>
        <Table>
          <Table.Tbody>
            {rows.map(([key, words]) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" fw={400}>
                  {words}
                </Table.Th>
                <Table.Td className="nowrap">
                  <Kbd>{modifier}</Kbd> + <Kbd>{key}</Kbd>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Popover.Dropdown>
    </Popover>
  );
}
