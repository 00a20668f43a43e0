import { z } from 'zod';
import { namedObject, pattern } from './fields.ts';

/** How a workspace proves that a domain is its own. */

export const domainName = pattern(
  /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
  253,
);

export const domainRecord = namedObject(
  'DomainRecord',
  'The TXT record that proves that the domain is yours.',
  {
    name: z.string().max(300).meta({ example: '_guidepost.example.com' }),
    value: z.string().max(100).meta({ example: 'guidepost-domain=q83vASNFZ4mrze8BI0VniavN7wEjRWeJ' }),
  },
);
