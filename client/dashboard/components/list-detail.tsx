import { Button, Group, Kbd, Paper, Stack, Text, UnstyledButton } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { useKeys, useSingleKeys } from './single-keys.ts';

type RowKey<Row> = {
  key: string;
  label: string;
  /** Absent for a row without this action. */
  run: (row: Row) => void;
  /** Takes the row out of the list, so that the next one is opened. */
  leaves?: boolean;
};

type ListDetailProps<Row> = {
  /** Names the list. */
  label: string;
  rows: readonly Row[];
  getKey: (row: Row) => string;
  item: (row: Row) => ReactNode;
  detail: (row: Row) => ReactNode;
  /** Keys that act on the open row. */
  keys?: readonly RowKey<Row>[];
  /** The row that the address names, if it is not in the list. */
  linked?: Row | undefined;
  /** Below the list, such as a button for more rows. */
  children?: ReactNode;
};

/**
 * A list beside the detail of its open row, which the hash of the address names; the first by default. A narrow page
 * shows either of them. `j` and `k` open the next and the previous row.
 */
export function ListDetail<Row>(props: ListDetailProps<Row>) {
  const { label, rows, getKey, item, detail, keys = [], linked, children } = props;
  const t = useTranslations('shell');
  const { hash, open } = useOpenRow();
  const list = useRef<HTMLUListElement>(null);
  const pane = useRef<HTMLElement>(null);
  const isLinked = linked !== undefined && getKey(linked) === hash;
  const at = Math.max(
    0,
    rows.findIndex((row) => getKey(row) === hash),
  );
  const current = rows.some((row) => getKey(row) === hash) || !isLinked ? rows[at] : linked;
  const currentKey = current && getKey(current);
  const focusRow = (key: string) => {
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
    if (row?.checkVisibility()) row.focus();
    else pane.current?.focus();
  };
  useListKeys(props, current, at, (row) => {
    open(getKey(row), true);
    focusRow(getKey(row));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus the linked row once, after loading
  useEffect(() => {
    if (hash) focusRow(hash);
  }, []);
  return (
    <div className="list-detail" data-opened={hash ? true : undefined}>
      <Stack gap="xs" className="list-pane">
        <ul ref={list} aria-label={label} className="plain-list rows">
          {rows.map((row) => {
            const key = getKey(row);
            return (
              <li key={key}>
                <UnstyledButton
                  data-row={key}
                  aria-current={key === currentKey ? 'true' : undefined}
                  onClick={() => {
                    open(key);
                    requestAnimationFrame(() => pane.current?.focus());
                  }}
                >
                  {item(row)}
                </UnstyledButton>
              </li>
            );
          })}
        </ul>
        {children}
        <KeyHints keys={keys} />
      </Stack>
      {current && (
        <Paper
          withBorder
          p="lg"
          component="section"
          tabIndex={-1}
          ref={pane}
          className="detail-pane"
          aria-label={t('detail')}
        >
          <Button variant="default" className="narrow-only" mb="md" onClick={() => open('')}>
            {t('goBack')}
          </Button>
          {detail(current)}
        </Paper>
      )}
    </div>
  );
}

function useOpenRow() {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  const open = (key: string, replace = key === '') =>
    void navigate({
      to: '.',
      search: ((before: object) => before) as never,
      hash: key,
      hashScrollIntoView: false,
      resetScroll: false,
      replace,
    });
  return { hash, open };
}

function useListKeys<Row>(
  { rows, keys = [] }: ListDetailProps<Row>,
  current: Row | undefined,
  at: number,
  open: (row: Row) => void,
): void {
  const [enabled] = useSingleKeys();
  useKeys(({ key }) => {
    const isInside = document.activeElement?.closest('.list-detail') != null;
    const step = key === 'j' ? 1 : key === 'k' ? -1 : 0;
    if (step !== 0) {
      // The first press enters the list at its open row.
      const next = rows[isInside ? Math.min(rows.length - 1, Math.max(0, at + step)) : at];
      if (next) open(next);
      return true;
    }
    const action = keys.find((each) => each.key === key);
    if (!action || !current) return false;
    action.run(current);
    const next = rows[at + 1] ?? rows[at - 1];
    if (action.leaves && next) open(next);
    return true;
  }, enabled);
}

/** Shows the keys where they work. */
function KeyHints({ keys }: { keys: readonly { key: string; label: string }[] }) {
  const t = useTranslations('shell');
  const [enabled] = useSingleKeys();
  if (!enabled) return null;
  return (
    <Group gap="sm" className="key-hints">
      <Hint keys={['J', 'K']} label={t('nextOrPrevious')} />
      {keys.map(({ key, label }) => (
        <Hint key={key} keys={[key.toUpperCase()]} label={label} />
      ))}
    </Group>
  );
}

function Hint({ keys, label }: { keys: readonly string[]; label: string }) {
  return (
    <Text span size="xs" c="dimmed">
      {keys.map((key) => (
        <Kbd key={key} size="xs" me={4}>
          {key}
        </Kbd>
      ))}
      {label}
    </Text>
  );
}
