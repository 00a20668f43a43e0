import { Text, Title } from '@mantine/core';

/** The heading of a section of a page. */
export const Heading = Title.withProps({ order: 2, size: 'h4' });

/** A text that is less important than the one before it. */
export const Muted = Text.withProps({ size: 'sm', c: 'dimmed' });

/** A remark below a value. */
export const Note = Text.withProps({ size: 'xs', c: 'dimmed', component: 'div' });
