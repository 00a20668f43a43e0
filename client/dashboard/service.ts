import { createAccount } from '../sdk/account.ts';

/** Where this page's own script stands: two folders below the service, wherever a proxy keeps that. */
const script = import.meta.url;

export const serviceUrl = new URL('../..', script).href.replace(/\/$/, '');
/** The path of the dashboard itself, such as `/dashboard`. */
export const basePath = new URL('..', script).pathname.replace(/\/$/, '');
export const account = createAccount({ baseUrl: serviceUrl });
