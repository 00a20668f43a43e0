import { readFile } from 'node:fs/promises';
import { CSS, HTML, JAVASCRIPT, type PublicFile } from '../http/static.ts';

type DemoPage = { readonly folder: URL; readonly appId: string; readonly apiBaseUrl: () => string };

/** Only its own scripts: the page shares its origin with the dashboard. The guide may come from the public URL. */
const buildContentSecurityPolicy = (api: string) =>
  `default-src * data: blob:; script-src 'self' ${api}; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`;

/** The demo page: a fictional customer's page that contains the script tag. */
export function listDemoFiles({ folder, appId, apiBaseUrl }: DemoPage): PublicFile[] {
  const read = (name: string) => readFile(new URL(name, folder), 'utf8');
  return [
    {
      path: '/demo',
      contentType: HTML,
      usesMicrophone: true,
      read: async () =>
        (await read('index.html')).replaceAll('{{app_id}}', appId).replaceAll('{{api}}', apiBaseUrl()),
      contentSecurityPolicy: () => buildContentSecurityPolicy(apiBaseUrl()),
    },
    { path: '/demo/demo.css', contentType: CSS, read: () => read('demo.css') },
    { path: '/demo/demo.js', contentType: JAVASCRIPT, read: () => read('demo.js') },
  ];
}
