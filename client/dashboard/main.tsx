import './theme.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { IntlProvider } from 'use-intl';
import { loadLocale } from './languages.ts';
import { router } from './router.tsx';
import { queries } from './session.ts';
import { createDashboardTheme, getCssVariables } from './theme.ts';

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
          <ModalsProvider labels={{ confirm: messages.shell.confirm, cancel: messages.shell.cancel }}>
            <RouterProvider router={router} />
          </ModalsProvider>
          <Suspense>
            <Toasts />
          </Suspense>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </IntlProvider>,
);

function getStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
