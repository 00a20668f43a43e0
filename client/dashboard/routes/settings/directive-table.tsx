import { Table, Text } from '@mantine/core';
import { IconBell, IconHandStop, IconHelpCircle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { RegionDirective } from '../../../sdk/types.ts';
import { Mark } from '../../components/mark.tsx';
import { RegionTable } from '../../components/region-table.tsx';

type Mode = RegionDirective['mode'];

const MODES = {
  opt_in: { icon: IconHelpCircle, color: 'grape' },
  opt_out: { icon: IconHandStop, color: 'blue' },
  notice: { icon: IconBell, color: 'gray' },
} as const;

export function DirectiveTable({
  rows,
  name,
  before,
}: {
  readonly rows: readonly RegionDirective[];
  readonly name: (region: string) => string;
  /** What applies there now, where that would change. */
  readonly before: (row: RegionDirective) => Mode | undefined;
}) {
  const t = useTranslations('settings.consent');
  return (
    <RegionTable
      caption={t('caption')}
      minWidth={640}
      columns={[t('columnRegion'), t('columnRule'), t('columnMode'), t('columnBefore')]}
    >
      {rows.map((row) => (
        <DirectiveRow key={row.region} row={row} name={name} before={before(row)} />
      ))}
    </RegionTable>
  );
}

function DirectiveRow({
  row,
  name,
  before,
}: {
  readonly row: RegionDirective;
  readonly name: (region: string) => string;
  readonly before: Mode | undefined;
}) {
  const t = useTranslations('settings.consent');
  const allowed = Object.entries(row.purposes)
    .filter(([, decision]) => decision === 'granted')
    .map(([purpose]) => t(`purposes.${purpose as keyof RegionDirective['purposes']}`));
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500}>
        {row.region === 'ZZ' ? t('unknown') : name(row.region)}
        <Text size="xs" c="dimmed" ff="monospace" component="div">
          {row.region}
        </Text>
      </Table.Th>
      <Table.Td>
        {t(`modes.${row.rule}`)}
        <Text size="xs" c="dimmed" component="div">
          {row.basis ?? t('noBasis')}
        </Text>
      </Table.Td>
      <Table.Td>
        <Mark {...MODES[row.mode]} miw="max-content">
          {t(`modes.${row.mode}`)}
        </Mark>
        <Text size="xs" c="dimmed" component="div">
          {before ? t('changes', { mode: t(`modes.${before}`) }) : t(`reasons.${row.reason}`)}
        </Text>
      </Table.Td>
      <Table.Td>
        {t(row.ask ? 'asked' : 'notAsked')}
        <Text size="xs" c="dimmed" component="div">
          {allowed.join(', ')}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}
