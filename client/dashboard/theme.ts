import { createTheme } from '@mantine/core';
import type { Messages } from './locales/en.ts';

/** Colors keep 4.5:1 in light and dark; controls are large enough for touch. */
export const createDashboardTheme = ({ shell }: Messages) =>
  createTheme({
    primaryColor: 'indigo',
    primaryShade: 8,
    defaultRadius: 'md',
    cursorType: 'pointer',
    respectReducedMotion: true,
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    headings: { fontWeight: '650' },
    components: {
      Anchor: { defaultProps: { underline: 'always' } },
      Modal: {
        defaultProps: {
          centered: true,
          closeButtonProps: { 'aria-label': shell.close },
          // A dialog's header is not a page banner.
          attributes: { header: { role: 'presentation' } },
        },
      },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': shell.close } } },
      Alert: { defaultProps: { closeButtonLabel: shell.close } },
      Button: { defaultProps: { mih: 36 } },
      // The scroll container must be focusable by keyboard.
      TableScrollContainer: { defaultProps: { type: 'native', tabIndex: 0 } },
      PasswordInput: {
        defaultProps: { visibilityToggleButtonProps: { 'aria-label': shell.showPassword } },
      },
    },
  });

/** Mantine's dimmed text misses 4.5:1. */
export const cssVariables = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-8)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
