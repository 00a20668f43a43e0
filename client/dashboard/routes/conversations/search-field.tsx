import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';

type SearchFieldProps = {
  readonly label: string;
  /** What is looked for now. */
  readonly value: string;
  readonly search: (words: string) => void;
};

/** Looks for what was typed once the typing rests. */
export function SearchField({ label, value, search }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [asked, setAsked] = useState(value);
  // Somebody else changed it, such as a button that clears the filters.
  if (value !== asked) {
    setAsked(value);
    if (value !== typed.trim()) setTyped(value);
  }
  const searchSoon = useDebouncedCallback((words: string) => {
    setAsked(words);
    search(words);
  }, 300);
  return (
    <TextInput
      label={label}
      type="search"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        searchSoon(currentTarget.value.trim());
      }}
      className="grow"
    />
  );
}
