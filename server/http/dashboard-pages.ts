import { onDisk, type PublicFile } from './files.ts';

/** No inline script or style, nothing from elsewhere, in nobody's frame. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; " +
  "frame-ancestors 'none'; base-uri 'none'";

const HTML = 'text/html; charset=utf-8';

/** Addresses are relative, for a proxy that keeps the service in a folder. */
const page = (head: string, main: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    ${head}
  </head>
  <body>
    <main>
      ${main}
    </main>
  </body>
</html>
`;

const scripted = (name: string, title: string) =>
  page(
    `<title>${title}</title>
    <link rel="stylesheet" href="style.css">
    <script src="${name}.js" defer></script>`,
    `<h1>${title}</h1>
      <noscript><p>This page needs JavaScript, which is switched off in this browser.</p></noscript>`,
  );

/** The pages behind links that the service hands out; their scripts and their style are built into a folder. */
export function dashboardPages(folder: URL): PublicFile[] {
  return [
    html('/dashboard/setup', scripted('setup', 'Set up Guidepost')),
    html('/dashboard/invitation', scripted('invitation', 'Invitation')),
    ...[
      ['setup.js', 'text/javascript'],
      ['invitation.js', 'text/javascript'],
      ['style.css', 'text/css'],
    ].map(([name, type]) => ({
      path: `/dashboard/${name}`,
      contentType: `${type}; charset=utf-8`,
      read: onDisk(new URL(`${name}`, folder)),
    })),
  ];
}

function html(path: string, text: string): PublicFile {
  return {
    path,
    contentType: HTML,
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    referrerPolicy: 'no-referrer',
    read: async () => text,
  };
}
