import Dialog from '@mui/material/Dialog';
import * as Radix from '@radix-ui/react-dialog';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';

/** Modal dialogs of React libraries, which the test bundles for its pages. */

const content = [h('h2', { key: 1 }, 'A dialog'), h('input', { key: 2, 'aria-label': 'Name' })];

const openMui = () => h(Dialog, { open: true }, content);

const openRadix = () =>
  h(
    Radix.Root,
    { open: true },
    h(
      Radix.Portal,
      null,
      h(Radix.Overlay),
      h(Radix.Content, null, h(Radix.Title, null, 'A dialog'), content[1]),
    ),
  );

const root = document.body.appendChild(document.createElement('div'));
createRoot(root).render(location.pathname.includes('mui') ? openMui() : openRadix());
