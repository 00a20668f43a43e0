import './styles.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { IntlProvider } from 'use-intl';
import { wording } from './language.ts';
import { queries } from './queries.ts';
import { router } from './router.tsx';
import { cssVariables, themeFor } from './theme.ts';

const Notes = lazy(async () => ({ default: (await import('./components/notes.tsx')).Notes }));

const { locale, direction, messages, language } = await wording();
document.documentElement.lang = language;
document.documentElement.dir = direction;

// What holds the page still behind a dialog looks for the nonce of its style element here.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });

createRoot(document.getElementById('root') as HTMLElement).render(
  <IntlProvider
    locale={locale}
    messages={messages}
    timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
  >
    <DirectionProvider initialDirection={direction}>
      <MantineProvider
        theme={themeFor(messages)}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={styleNonce}
      >
        <QueryClientProvider client={queries}>
          <Suspense>
            <Notes />
          </Suspense>
          <ModalsProvider labels={{ confirm: messages.shell.confirm, cancel: messages.shell.cancel }}>
            <RouterProvider router={router} />
          </ModalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </IntlProvider>,
);

/** Style elements need the nonce that the page came with. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}
