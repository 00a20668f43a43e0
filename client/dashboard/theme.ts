import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { Messages } from './catalogs.ts';

/** Neutral, from the page to its text. */
const GRAY: MantineColorsTuple = [
  '#f8f8f9',
  '#f1f1f3',
  '#e9e9ec',
  '#e2e2e6',
  '#d3d4d9',
  '#a6a7af',
  '#787a83',
  '#55575f',
  '#34363c',
  '#1b1c20',
];

/** Neutral for dark pages: text first, then borders, and surfaces from the raised to the sunken one. */
const DARK: MantineColorsTuple = [
  '#d3d4d9',
  '#a6a8b1',
  '#81838d',
  '#62646d',
  '#3a3c44',
  '#2c2e35',
  '#212329',
  '#18191e',
  '#121317',
  '#0c0d10',
];

/** The accent, in the hue of the guide. */
const BLUE: MantineColorsTuple = [
  '#eff4fd',
  '#dfe9fb',
  '#bed2f6',
  '#96b6f0',
  '#8fb3fb',
  '#5c88e0',
  '#2f65d0',
  '#1f55c4',
  '#1a48a8',
  '#163c8c',
];

/** Mantine's, but dark enough below white text. */
const RED: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#d13030',
  '#c02626',
  '#b02323',
  '#941f1f',
];

const size = (pixels: number) => `${pixels / 16}rem`;
const heading = (pixels: number, line: number) => ({ fontSize: size(pixels), lineHeight: size(line) });

/** Creates the theme: a type scale on lines of 4 px, and text with a contrast of 4.5:1 in light and dark. */
export const createDashboardTheme = ({ shell }: Messages) =>
  createTheme({
    colors: { gray: GRAY, dark: DARK, blue: BLUE, red: RED },
    black: GRAY[9],
    primaryColor: 'blue',
    primaryShade: { light: 7, dark: 6 },
    cursorType: 'pointer',
    respectReducedMotion: true,
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    fontSizes: { xs: size(12), sm: size(13), md: size(14), lg: size(16), xl: size(20) },
    lineHeights: { xs: '1.3333', sm: '1.5385', md: '1.4286', lg: '1.5', xl: '1.4' },
    fontWeights: { regular: '400', medium: '500', bold: '600' },
    headings: {
      fontWeight: '600',
      sizes: { h1: heading(24, 32), h2: heading(20, 28), h3: heading(16, 24), h4: heading(15, 20) },
    },
    spacing: { xs: size(8), sm: size(12), md: size(16), lg: size(24), xl: size(32) },
    radius: { xs: size(2), sm: size(4), md: size(6), lg: size(8), xl: size(12) },
    defaultRadius: 'md',
    components: {
      Anchor: { defaultProps: { underline: 'always' } },
      Badge: { defaultProps: { radius: 'sm', tt: 'none', fw: 500, fz: 'xs' } },
      Paper: { defaultProps: { radius: 'lg' } },
      Modal: {
        defaultProps: {
          centered: true,
          closeButtonProps: { 'aria-label': shell.close },
          // A dialog's header is not a page banner.
          attributes: { header: { role: 'presentation' } },
        },
      },
      // Menus stay in the landmark of their button, and hold nothing but items.
      Menu: {
        defaultProps: { withinPortal: false, floatingStrategy: 'fixed', withInitialFocusPlaceholder: false },
      },
      Notification: { defaultProps: { closeButtonProps: { 'aria-label': shell.close } } },
      Alert: { defaultProps: { closeButtonLabel: shell.close } },
      Button: { defaultProps: { px: 'sm' } },
      // The scroll container must be focusable by keyboard.
      TableScrollContainer: { defaultProps: { type: 'native', tabIndex: 0 } },
      PasswordInput: {
        defaultProps: { visibilityToggleButtonProps: { 'aria-label': shell.showPassword } },
      },
    },
  });

/** Surfaces in steps: `sunken` below the page, `raised` above it. `edge` outlines what takes input, at 3:1. */
export const getCssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-text': 'var(--mantine-color-gray-9)',
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-7)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-4)',
    '--surface-sunken': 'var(--mantine-color-gray-0)',
    '--surface-raised': 'var(--mantine-color-white)',
    '--hairline': 'var(--mantine-color-gray-2)',
    '--edge': '#91939c',
    '--heading': 'var(--mantine-color-gray-9)',
  },
  dark: {
    '--mantine-color-text': 'var(--mantine-color-dark-0)',
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--mantine-color-gray-light': 'var(--mantine-color-dark-5)',
    '--mantine-color-gray-light-hover': 'var(--mantine-color-dark-4)',
    '--surface-sunken': 'var(--mantine-color-dark-8)',
    '--surface-raised': 'var(--mantine-color-dark-6)',
    '--hairline': 'var(--mantine-color-dark-5)',
    '--edge': '#6e717b',
    '--heading': '#f6f6f8',
  },
});
