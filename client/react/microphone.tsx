'use client';
import { forwardRef, type ReactNode, type Ref } from 'react';
import type { Part, WithChildren } from './part.ts';
import { useGuideState, useScope } from './scope.ts';

/**
 * Starts and stops dictation into the draft. A separate component, so that a `Composer` with custom children can
 * include it. Shown only when voice is available.
 */
export const Microphone: Part<'button', WithChildren<'button'>> = forwardRef(function Microphone(
  { children, onClick, ...rest }: WithChildren<'button'>,
  ref: Ref<HTMLButtonElement>,
): ReactNode {
  const { store, labels } = useScope();
  const { isAvailable, listening } = useGuideState(({ voice }) => voice);
  if (!isAvailable) return null;
  const isOn = listening !== 'off';
  return (
    <button
      ref={ref}
      type="button"
      aria-pressed={isOn}
      data-listening={listening}
      {...rest}
      onClick={(event) => {
        onClick?.(event);
        if (!event.defaultPrevented) void (isOn ? store.voice.stopListening() : store.voice.listen());
      }}
    >
      {children ?? (isOn ? labels.stopListening : labels.listen)}
    </button>
  );
});
