import { Button, Stack, Text, Textarea, type TextareaProps } from '@mantine/core';
import { useState } from 'react';
import { MemberName, RelativeTime } from './attribution.tsx';
import { Muted } from './page.tsx';
import { type Changes, useAction } from './use-action.tsx';

type TextFormProps = Pick<TextareaProps, 'label' | 'description' | 'minRows' | 'maxLength'> & {
  save: (text: string) => Promise<unknown>;
  button: string;
  variant?: 'default' | 'filled';
  changes: Changes;
  /** A toast after success. */
  done?: string;
};

/** Sends a text, and is empty again afterwards. */
export function TextForm({ save, button, variant = 'filled', changes, done, ...field }: TextFormProps) {
  const [text, setText] = useState('');
  const saving = useAction(() => save(text.trim()), {
    changes,
    ...(done !== undefined && { done }),
    onDone: () => setText(''),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') saving.mutate();
      }}
    >
      <Stack gap="xs" align="flex-start">
        <Textarea
          {...field}
          w="100%"
          autosize
          dir="auto"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Button type="submit" variant={variant} disabled={text.trim() === ''} loading={saving.isPending}>
          {button}
        </Button>
      </Stack>
    </form>
  );
}

type WrittenProps = { text: string; createdBy: string; createdAt: string };

/** A text that a member wrote, with the author and the time. */
export function Written({ text, createdBy, createdAt }: WrittenProps) {
  return (
    <>
      <Text dir="auto" className="wrapped">
        {text}
      </Text>
      <Muted component="div">
        <MemberName id={createdBy} /> · <RelativeTime at={createdAt} />
      </Muted>
    </>
  );
}
