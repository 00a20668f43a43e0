import { z } from 'zod';
import type { ProxySettings } from '../base/proxy.ts';

/** Settings of the proxy to other servers, by the names that most programs read; in lower case they win, as with most programs. */

const address = z
  .string()
  .transform((text) => (text.includes('://') ? text : `http://${text}`))
  .pipe(z.url({ protocol: /^https?$/ }))
  .optional();

export const proxySettings = {
  HTTP_PROXY: address.describe(
    'Proxy through which the service reaches models, speech providers and telemetry, such as `http://user:password@proxy:3128`. Sources never use it. ' +
      'Also in lower case.',
  ),
  HTTPS_PROXY: address.describe('The same for https addresses, if it differs. Also in lower case.'),
  NO_PROXY: z
    .string()
    .default('')
    .describe(
      'Comma-separated hosts that are reached without the proxy, such as `localhost,.example.com`; `*` for all. Also in lower case.',
    ),
};

/** Returns undefined when there is no proxy. */
export function parseProxySettings(
  values: z.infer<z.ZodObject<typeof proxySettings>>,
): ProxySettings | undefined {
  const { HTTP_PROXY: httpProxy = '', HTTPS_PROXY: httpsProxy = '', NO_PROXY: noProxy } = values;
  return httpProxy === '' && httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy };
}
