import { Kbd, Table, Text } from '@mantine/core';

type ShortcutTableProps = {
  /** Above the table. */
  title?: string;
  rows: readonly (readonly [keys: readonly string[], words: string])[];
};

/** Names what keys do. */
export function ShortcutTable({ title, rows }: ShortcutTableProps) {
  return (
    <Table captionSide="top">
      {title && (
        <Table.Caption ta="start">
          <Text fw={600} size="sm">
            {title}
          </Text>
        </Table.Caption>
      )}
      <Table.Tbody>
        {rows.map(([keys, words]) => (
          <Table.Tr key={words}>
            <Table.Th scope="row" fw={400}>
              {words}
            </Table.Th>
            <Table.Td className="nowrap" ta="end">
              {keys.map((key) => (
                <Kbd key={key} ms={4}>
                  {key}
                </Kbd>
              ))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
