import './theme.css';
import { createTheme, DirectionProvider, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { IntlProvider } from 'use-intl';
import type { Messages } from './catalogs.ts';
import { loadLocale } from './languages.ts';
import { router } from './router.tsx';
import { queries } from './session.ts';

const Toasts = lazy(async () => ({ default: (await import('./components/toasts.tsx')).Toasts }));

const { locale, direction, messages, language } = await loadLocale();
document.documentElement.lang = language;
document.documentElement.dir = direction;

// react-remove-scroll reads the nonce of its style element here.
Object.assign(globalThis, { __webpack_nonce__: getStyleNonce() });

createRoot(document.getElementById('root') as HTMLElement).render(
  <IntlProvider
    locale={locale}
    messages={messages}
    timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
  >
    <DirectionProvider initialDirection={direction}>
      <MantineProvider
        theme={createDashboardTheme(messages)}
        cssVariablesResolver={getCssVariables}
        defaultColorScheme="auto"
        getStyleNonce={getStyleNonce}
      >
        <QueryClientProvider client={queries}>
          <Suspense>
            <Toasts />
          </Suspense>
          <ModalsProvider labels={{ confirm: messages.shell.confirm, cancel: messages.shell.cancel }}>
            <RouterProvider router={router} />
          </ModalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </IntlProvider>,
);

function getStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

/** Creates the theme: text has a contrast of 4.5:1 in light and dark, and controls are large enough for touch. */
function createDashboardTheme({ shell }: Messages) {
  return createTheme({
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
      // Menus stay in the landmark of their button, and hold nothing but items.
      Menu: {
        defaultProps: { withinPortal: false, floatingStrategy: 'fixed', withInitialFocusPlaceholder: false },
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
}

/** Replaces Mantine's colors of dimmed text, placeholders and errors, whose contrast is below 4.5:1. */
function getCssVariables() {
  return {
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
  };
}
