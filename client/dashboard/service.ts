import { createAccount } from '../sdk/account.ts';

/** The bundle is two directories below the service, wherever a proxy mounts it. */
const script = import.meta.url;

export const serviceUrl = new URL('../..', script).href.replace(/\/$/, '');
/** The path of the dashboard, such as `/dashboard`. */
export const basePath = new URL('..', script).pathname.replace(/\/$/, '');
export const account = createAccount({ baseUrl: serviceUrl });
