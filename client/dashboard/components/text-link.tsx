import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** A link to another page of the dashboard with typed path and search parameters. */
export const TextLink = createLink(function TextLink(
  props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps | 'href'>,
) {
  return <Anchor {...props} />;
});
