import { Code, Stack, Text } from '@mantine/core';
import { CopyText } from './buttons.tsx';

/** A text to paste elsewhere. */
export function Copied({ label, text }: { label: string; text: string }) {
  return (
    <Stack gap={4}>
      <Text fw={600} size="sm">
        {label}
      </Text>
      <Code block dir="ltr" translate="no" className="wrapped">
        {text}
      </Code>
      <CopyText text={text} size="xs" className="self-start" />
    </Stack>
  );
}
