import { readFileSync } from 'node:fs';
import { type DemoSite, openDemoSite, type Visit, type VisitOptions } from '../support/demo-site.ts';
import type { Harness } from '../support/harness.ts';
import type { Seed } from '../support/seeds.ts';
import { openWebsite } from '../support/website.ts';

/** Three different customer sites, each on its own port and under a strict CSP. */
export type SavedPages = {
  harness: Harness;
  open: (path: string, options?: VisitOptions) => Promise<Visit>;
  close: () => Promise<void>;
};

const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

const ARTICLES: readonly Seed[] = [
  {
    slug: 'return-label',
    locale: 'en',
    title: 'Send something back',
    answer:
      'You can send back what you bought within thirty days. To do so, print the return label on the page of your order and stick it onto the parcel. We refund the money within five working days.',
    aliases: ['return label', 'returns'],
    url: 'https://shop.example.com/help/returns',
  },
  {
    slug: 'signature',
    locale: 'en',
    title: 'Verify the signature of a webhook',
    answer:
      'Each webhook carries a signature. To verify the signature, compute the HMAC of the body with your secret and compare it with the header. Refuse a body whose signature differs.',
  },
  {
    slug: 'invoice',
    locale: 'en',
    title: 'Create an invoice',
    answer:
      'To create an invoice, open Invoices and choose Create an invoice. Pick a customer, add what you sold, and send it. The customer gets a link to pay.',
  },
  {
    slug: 'voucher',
    locale: 'en',
    title: 'Use a voucher for an order',
    answer: 'Write the code of your voucher into the field beside the cart and apply it before you order.',
    aliases: ['voucher code'],
  },
  {
    slug: 'parcel',
    locale: 'en',
    title: 'When your parcel arrives',
    answer:
      'The parcel of your order leaves our house within two days. You can track it on the page of your order.',
    aliases: ['delivery'],
  },
  {
    slug: 'retries',
    locale: 'en',
    title: 'When the body of a webhook is sent again',
    answer:
      'A webhook that is not answered is sent again for a day, with the same body and the same signature.',
  },
  {
    slug: 'secret',
    locale: 'en',
    title: 'Change the secret of a webhook',
    answer: 'Give the webhook a new secret, and compare the signature with both secrets for a day.',
  },
  {
    slug: 'reminder',
    locale: 'en',
    title: 'Remind a customer of an invoice',
    answer:
      'Open Invoices and send a reminder from the row of the invoice. The customer gets the link to pay again.',
  },
  {
    slug: 'delete-invoice',
    locale: 'en',
    title: 'Delete an invoice',
    answer: 'Open Invoices and delete the row of the invoice. An invoice that the customer has paid stays.',
  },
];

export async function openSavedPages(
  options: Parameters<typeof openDemoSite>[0] & object = {},
): Promise<SavedPages> {
  const { api, origin, close } = await openCustomer();
  let site: DemoSite;
  try {
    site = await openDemoSite({
      articles: ARTICLES,
      ...options,
      settings: { allowedOrigins: [origin], suggestions: [], ...options.settings },
    });
  } catch (error) {
    await close();
    throw error;
  }
  api.url = site.harness.baseUrl;
  return {
    harness: site.harness,
    open: (path, visit) => site.open({ ...visit, address: origin + path }),
    async close() {
      await site.close();
      await close();
    },
  };
}

async function openCustomer() {
  const api = { url: '' };
  const website = await openWebsite((path) => {
    const [, name = '', type = 'html'] =
      /^\/(shop|documentation|dashboard)(?:\.(css|js))?(?:\/.*)?$/.exec(
        new URL(path, 'http://customer').pathname,
      ) ?? [];
    if (name === '') return undefined;
    const page = readFileSync(new URL(`./pages/${name}.${type}`, import.meta.url), 'utf8');
    const headers = {
      'content-type': `${TYPES[type]}; charset=utf-8`,
      'content-security-policy': `default-src 'none'; script-src 'self' ${api.url}; style-src 'self'; connect-src ${api.url}; img-src data:; media-src blob:; require-trusted-types-for 'script'`,
    };
    return { headers, body: page.replaceAll('{{api}}', api.url).replaceAll('{{app_id}}', 'gp_demo') };
  });
  return { api, ...website };
}
