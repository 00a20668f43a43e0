import links from './links.json' with { type: 'json' };

/** URLs that no article of a workspace contains, in forms that some client or browser resolves. */
export const DISGUISED_LINKS: readonly string[] = Object.values(links.disguised).flat();

/** Text that only resembles a link. */
export const ORDINARY_TEXTS: readonly string[] = links.ordinary;
