import { readFile } from 'node:fs/promises';
import type { PublicFile } from '../http/files.ts';

/** The demo page: a fictional customer's page that contains the script tag. */
export function demoPage(page: { readonly folder: URL; readonly appId: string; readonly apiBaseUrl: () => string }): PublicFile[] {
  return [
    {
      path: '/demo',
      contentType: 'text/html; charset=utf-8',
      read: async () => {
        const template = await readFile(new URL('index.html', page.folder), 'utf8');
        return template.replaceAll('{{app_id}}', page.appId).replaceAll('{{api}}', page.apiBaseUrl());
      },
    },
    ...[
      ['demo.css', 'text/css'],
      ['demo.js', 'text/javascript'],
    ].map(([name, type]) => ({
      path: `/demo/${name}`,
      contentType: `${type}; charset=utf-8`,
      read: () => readFile(new URL(`${name}`, page.folder)),
    })),
  ];
}
