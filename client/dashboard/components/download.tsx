import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useWorkspace } from '../session.ts';
import { Icon } from './icon.tsx';

type Cell = string | number | undefined;

type CsvTable = {
  /** Names the file and the button. */
  title: string;
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
};

/** Downloads a table as the page shows it, with plain numbers and ISO dates. */
export function CsvButton({ title, columns, rows }: CsvTable) {
  const t = useTranslations('shell');
  const { name } = useWorkspace();
  const save = () => {
    const file = `${toFileName(`${name} ${title}`)}-${new Date().toISOString().slice(0, 10)}.csv`;
    // Excel needs a byte order mark to read the file as UTF-8.
    downloadFile(file, ['\uFEFF', toCsv(columns, rows)], 'text/csv;charset=utf-8');
  };
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mih={32}
      flex="none"
      leftSection={<Icon name="download" />}
      onClick={save}
      aria-label={t('csvOf', { title })}
    >
      CSV
    </Button>
  );
}

/** Keeps only characters that every file system accepts. */
export const toFileName = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

const toCsv = (columns: readonly string[], rows: CsvTable['rows']) =>
  [columns, ...rows].map((row) => `${row.map(toCell).join(',')}\r\n`).join('');

/**
 * Prefixes text that begins like a formula with an apostrophe: spreadsheets would run it, and visitors can write it.
 */
function toCell(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Downloads text that was generated on the page. */
export function downloadFile(name: string, parts: readonly BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
