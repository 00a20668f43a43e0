/** A page in one state, with its pictures. */
export type Row = {
  name: string;
  /** Files by screen and color scheme, such as `desktop, dark`. */
  files: Readonly<Record<string, string>>;
  /** Violations that axe found. */
  violations: readonly string[];
};

/** Renders one page with all pictures; it needs only the files beside it. */
export function renderGallery(rows: readonly Row[]): string {
  const count = rows.reduce((sum, { files }) => sum + Object.keys(files).length, 0);
  const failed = rows.filter(({ violations }) => violations.length > 0);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Pictures of Guidepost</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 2rem; }
  nav { columns: 16rem; }
  section { margin-block: 2.5rem; }
  .pictures { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start; }
  figure { margin: 0; }
  img { block-size: 22rem; inline-size: auto; max-inline-size: 100%; border: 1px solid #8888; object-fit: cover; object-position: top; }
  .violations { color: light-dark(#a00, #f99); white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<h1>Pictures of Guidepost</h1>
<p>${count} pictures of ${rows.length} pages and states. ${failed.length === 0 ? 'axe found nothing.' : `axe found something on ${failed.length}.`}</p>
<nav>${rows.map(({ name, violations }) => `<div><a href="#${toId(name)}">${escapeHtml(name)}</a>${violations.length > 0 ? ' ⚠' : ''}</div>`).join('\n')}</nav>
${rows.map(renderRow).join('\n')}
</html>
`;
}

function renderRow({ name, files, violations }: Row): string {
  const figures = Object.entries(files).map(
    ([what, file]) =>
      `<figure><a href="${file}"><img src="${file}" alt="${escapeHtml(`${name}, ${what}`)}" loading="lazy"></a><figcaption>${escapeHtml(what)}</figcaption></figure>`,
  );
  const found =
    violations.length > 0 ? `<p class="violations">${violations.map(escapeHtml).join('\n')}</p>` : '';
  return `<section id="${toId(name)}"><h2>${escapeHtml(name)}</h2>${found}<div class="pictures">${figures.join('\n')}</div></section>`;
}

export const toId = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
