import { Button, type ButtonProps, Tooltip } from '@mantine/core';

type ReasonButtonProps = Pick<ButtonProps, 'variant' | 'loading' | 'leftSection' | 'children'> & {
  'aria-label'?: string;
  onClick: () => void;
  /** Why the button is disabled; undefined while it is enabled. */
  reason: string | undefined;
};

/** A button that stays focusable while it is disabled, so that the reason can be read. */
export function ReasonButton({ reason, onClick, ...button }: ReasonButtonProps) {
  const isDisabled = reason !== undefined;
  // Always render the tooltip: without it, the button would be mounted again and lose the focus.
  return (
    <Tooltip
      label={reason}
      disabled={!isDisabled}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw={320}
      withinPortal={false}
    >
      <Button
        onClick={(event) => (isDisabled ? event.preventDefault() : onClick())}
        {...(isDisabled && { 'data-disabled': true, 'aria-disabled': true, 'aria-description': reason })}
        {...button}
      />
    </Tooltip>
  );
}
