import { readFile } from 'node:fs/promises';
import { DERIVED_DOCUMENTS } from '../../contract/openapi/derive.ts';
import { PACKAGE_ROOT } from '../base/package-root.ts';
import { VERSION } from '../base/version.ts';
import { DEMO_APP_ID, listDemoFiles } from '../demo/demo.ts';
import { PAGE_SCRIPT, PAGE_SCRIPT_PATH } from '../help/layout.ts';
import { JAVASCRIPT, listDocsFiles, type PublicFile } from '../http/static.ts';
import type { Config } from '../settings/config.ts';
import { gpcDocument } from '../visitors/consent/visitor-consent.ts';
import { deriveDocument } from './derived-documents.ts';

/** The day from which the service has honoured Global Privacy Control, as published in gpc.json. */
const GPC_SINCE = '2026-11-01';

/** Packages for npm that fit this server. Their addresses stay the same from version to version. */
const PACKAGES = ['guidepost-client', 'guidepost-react'];

/** Lists the API document, its pages, the packages of the clients, gpc.json and the demo. */
export function listPublicFiles(config: Config, baseUrl: () => string): PublicFile[] {
  const openapi = new URL('openapi.yaml', PACKAGE_ROOT);
  const json = 'application/json; charset=utf-8';
  const yaml = 'application/yaml; charset=utf-8';
  return [
    ...Object.keys(DERIVED_DOCUMENTS).map((name) => ({
      path: `/${name}`,
      contentType: name.endsWith('.json') ? json : yaml,
      read: () => (name === 'openapi.yaml' ? readFile(openapi) : deriveDocument(name, openapi)),
      shared: true,
    })),
    ...PACKAGES.map((name) => ({
      path: `/packages/${name}.tgz`,
      contentType: 'application/gzip',
      read: () => readFile(new URL(`dist/${name}-${VERSION.version}.tgz`, PACKAGE_ROOT)),
      shared: true,
    })),
    {
      path: '/.well-known/gpc.json',
      contentType: json,
      read: async () => JSON.stringify(gpcDocument(GPC_SINCE)),
      shared: true,
    },
    { path: PAGE_SCRIPT_PATH, contentType: JAVASCRIPT, read: async () => PAGE_SCRIPT, shared: true },
    ...listDocsFiles(new URL('dist/swagger-ui/', PACKAGE_ROOT)),
    ...(config.demo
      ? listDemoFiles({
          folder: new URL('server/demo/page/', PACKAGE_ROOT),
          appId: DEMO_APP_ID,
          apiBaseUrl: baseUrl,
        })
      : []),
  ];
}
