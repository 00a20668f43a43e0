import { readFile } from 'node:fs/promises';
import type { Config } from './config.ts';
import { gpcDocument } from './consent/visitor-consent.ts';
import { DEMO_APP_ID, listDemoFiles } from './demo/demo.ts';
import { listDocsFiles, type PublicFile } from './http/static.ts';

/** Published in gpc.json: since when the service has honoured Global Privacy Control. */
const GPC_SINCE = '2026-11-01';

/** The API document, its pages, gpc.json and the demo. */
export function listPublicFiles(config: Config, baseUrl: () => string): PublicFile[] {
  const root = new URL('../', import.meta.url);
  const json = 'application/json; charset=utf-8';
  return [
    {
      path: '/openapi.yaml',
      contentType: 'application/yaml; charset=utf-8',
      read: () => readFile(new URL('openapi.yaml', root)),
      shared: true,
    },
    {
      path: '/openapi.json',
      contentType: json,
      read: () => readFile(new URL('generated/openapi.json', root)),
      shared: true,
    },
    {
      path: '/.well-known/gpc.json',
      contentType: json,
      read: async () => JSON.stringify(gpcDocument(GPC_SINCE)),
      shared: true,
    },
    ...listDocsFiles(),
    ...(config.demo
      ? listDemoFiles({ folder: new URL('server/demo/page/', root), appId: DEMO_APP_ID, apiBaseUrl: baseUrl })
      : []),
  ];
}
