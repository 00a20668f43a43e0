import type { ComponentPropsWithoutRef, ReactNode, Ref } from 'react';

type Tag = 'a' | 'article' | 'button' | 'div' | 'form' | 'ol' | 'section' | 'textarea' | 'ul';

/** The attributes of an element without its content, which the part renders. */
export type Attributes<T extends Tag> = Omit<ComponentPropsWithoutRef<T>, 'children'>;

/** A component that renders the element `T` and passes attributes and `ref` on to it. */
export type Part<T extends Tag, Props = Attributes<T>> = (
  props: Props & { ref?: Ref<HTMLElementTagNameMap[T]> | undefined },
) => ReactNode;

/** Attributes, and children that replace what the part renders by itself. */
export type WithChildren<T extends Tag> = Attributes<T> & { children?: ReactNode };
