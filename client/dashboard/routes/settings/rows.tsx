import { ActionIcon, Button, Group, Input, Stack, Text } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../../components/icons.tsx';

type RowsForm = {
  readonly insertListItem: (path: never, item: never) => unknown;
  readonly removeListItem: (path: never, at: number) => unknown;
  readonly reorderListItem: (path: never, fieldPaths: { from: number; to: number }) => unknown;
  readonly getInputNode: (path: never) => HTMLElement | null;
};

type RowsProps = {
  readonly form: RowsForm;
  readonly path: string;
  readonly count: number;
  readonly fresh: unknown;
  /** The path suffix of the first field in a row, such as `.region`. */
  readonly firstField?: string;
  readonly words: {
    readonly add: string;
    readonly none?: string;
    readonly remove: (number: number) => string;
    readonly up?: (number: number) => string;
    readonly down?: (number: number) => string;
  };
  readonly error?: ReactNode;
  readonly canEdit: boolean;
  readonly row: (at: number) => ReactNode;
};

/** An editable list of fields that keeps the focus when rows are added, moved or removed. */
export function Rows({ form, path, count, fresh, firstField = '', words, error, canEdit, row }: RowsProps) {
  const add = useRef<HTMLButtonElement>(null);
  const list = path as never;
  const focus = (at: number) =>
    requestAnimationFrame(() => form.getInputNode(`${path}.${at}${firstField}` as never)?.focus());
  const move = (from: number, to: number) => {
    form.reorderListItem(list, { from, to });
    focus(to);
  };
  return (
    <Stack gap="sm" align="flex-start">
      {count === 0 && words.none && <Text size="sm">{words.none}</Text>}
      <Stack component="ul" className="plain-list" gap="sm" w="100%">
        {Array.from({ length: count }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the list, and its fields are controlled
          <Group component="li" key={at} gap="xs" align="flex-start" wrap="nowrap">
            <div className="grow">{row(at)}</div>
            {canEdit && words.up && (
              <ActionIcon
                variant="default"
                size={36}
                aria-label={words.up(at + 1)}
                disabled={at === 0}
                onClick={() => move(at, at - 1)}
              >
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
            )}
            {canEdit && words.down && (
              <ActionIcon
                variant="default"
                size={36}
                aria-label={words.down(at + 1)}
                disabled={at === count - 1}
                onClick={() => move(at, at + 1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
            )}
            {canEdit && (
              <ActionIcon
                variant="default"
                size={36}
                aria-label={words.remove(at + 1)}
                onClick={() => {
                  form.removeListItem(list, at);
                  add.current?.focus();
                }}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      {error && <Input.Error role="alert">{error}</Input.Error>}
      {canEdit && (
        <Button
          ref={add}
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            form.insertListItem(list, fresh as never);
            focus(count);
          }}
        >
          {words.add}
        </Button>
      )}
    </Stack>
  );
}
