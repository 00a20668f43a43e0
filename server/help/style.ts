/** The style of the pages: light, dark and print. `color` is the workspace's, for the bar and the buttons. */
export const buildStyle = (color = '#1f55c4') => `
:root{color-scheme:light dark;--brand:${color};--on-brand:${getTextColor(color)};--ground:#fff;--soft:#f4f5f7;--text:#1a1d21;--quiet:#565d66;--edge:#d5d9de;--link:#0b57c4;--note:#fff6dc;--note-edge:#d9a514}
@media (prefers-color-scheme:dark){:root{--ground:#15181c;--soft:#1f2429;--text:#e8eaed;--quiet:#a9b1ba;--edge:#3a414a;--link:#8ab8ff;--note:#33290e;--note-edge:#b98d1c}}
*{box-sizing:border-box}
html{font:1.0625rem/1.6 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif;background:var(--ground);color:var(--text);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-block-size:100dvb;display:flex;flex-direction:column;overflow-wrap:break-word}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:4px}
main:focus{outline:0}
header ul,footer ul{list-style:none;margin:0;padding:0}
.skip{position:absolute;inset-inline-start:.5rem;inset-block-start:-5rem;padding:.6rem 1rem;background:var(--ground);z-index:2}
.skip:focus{inset-block-start:.5rem}
header{background:var(--brand);color:var(--on-brand)}
header a,header summary{color:inherit}
header :focus-visible{outline-color:currentColor}
.bar{max-inline-size:64rem;margin-inline:auto;padding:.5rem 1.25rem;display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1.25rem}
.name{display:flex;align-items:center;gap:.6rem;min-block-size:2.75rem;font-weight:650;font-size:1.125rem;text-decoration:none;margin-inline-end:auto}
.name img{block-size:2rem;inline-size:auto;max-inline-size:10rem;object-fit:contain}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
nav a,.languages summary{display:inline-flex;align-items:center;min-block-size:2.75rem}
.languages{position:relative}
.languages summary{cursor:pointer;gap:.4rem;list-style:none}
.languages summary::-webkit-details-marker{display:none}
.languages summary::after{content:"";inline-size:.45em;block-size:.45em;border:solid currentColor;border-width:0 2px 2px 0;transform:rotate(45deg) translate(-.1em,-.1em)}
.languages ul{position:absolute;inset-inline-end:0;z-index:1;min-inline-size:12rem;max-block-size:60vb;overflow-y:auto;padding:.4rem;background:var(--ground);color:var(--text);border:1px solid var(--edge);border-radius:10px;box-shadow:0 8px 24px #0003}
.languages ul a{display:block;padding:.45rem .75rem;min-block-size:2.75rem;text-decoration:none;border-radius:6px}
.languages ul a:hover,.languages ul [aria-current]{background:var(--soft)}
.languages ul [aria-current]{font-weight:650}
main{flex:1;inline-size:100%;max-inline-size:64rem;margin-inline:auto;padding:1.5rem 1.25rem 4rem}
.hero{text-align:center;padding-block:1.5rem 2.5rem}
.hero h1{margin-block:0 .75rem}
.hero p{margin-block:0 1.25rem;color:var(--quiet);font-size:1.125rem}
h1{font-size:clamp(1.625rem,1.2rem + 2vw,2.25rem);line-height:1.25;letter-spacing:-.01em;margin-block:.25rem .75rem;hyphens:auto}
h2{font-size:1.3rem;line-height:1.35;margin-block:2rem .6rem}
.search{display:flex;max-inline-size:44rem;margin:0 auto 1.5rem;border:1px solid var(--quiet);border-radius:10px;background:var(--ground)}
.search:focus-within{outline:3px solid var(--link);outline-offset:1px}
.search input{flex:1;min-inline-size:0;border:0;background:none;color:inherit;font:inherit;padding:.65rem 1rem;outline:0}
.search input:placeholder-shown{direction:inherit}
.search input::placeholder{color:var(--quiet);opacity:1}
.search button{display:grid;place-items:center;inline-size:3rem;border:0;background:none;color:inherit;cursor:pointer}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(17rem,100%),1fr));gap:.9rem;list-style:none;margin:0;padding:0}
.cards a{display:flex;justify-content:space-between;gap:1rem;block-size:100%;padding:1.1rem 1.25rem;border:1px solid var(--edge);border-radius:12px;background:var(--soft);color:var(--text);font-weight:600;text-decoration:none}
.cards a:hover{border-color:var(--link)}
.cards .count{color:var(--quiet);font-weight:400}
.list{list-style:none;margin:0;padding:0}
.list>li{border-block-end:1px solid var(--edge)}
.list a{display:block;padding-block:.7rem;text-decoration:none}
.list a:hover{text-decoration:underline}
.columns .list{columns:2 22rem;column-gap:2.5rem}
.columns .list>li{break-inside:avoid}
.list p{margin:-.35rem 0 .8rem;color:var(--quiet);font-size:.9375rem}
.path{display:flex;flex-wrap:wrap;gap:.25rem .6rem;margin:0 0 .5rem;padding:0;list-style:none;font-size:.9375rem}
.path li+li::before{content:"/";color:var(--quiet);margin-inline-end:.6rem}
article,.narrow{max-inline-size:44rem;margin-inline:auto}
.hero .search{max-inline-size:40rem}
.quiet{color:var(--quiet);font-size:.9375rem;margin-block:0 1.25rem}
.note{background:var(--note);border-inline-start:4px solid var(--note-edge);border-radius:6px;padding:.65rem 1rem;margin-block:1rem}
.text p,.text li{white-space:pre-line}
.text img{max-inline-size:100%;block-size:auto;border-radius:6px;border:1px solid var(--edge)}
.text code{background:var(--soft);border-radius:4px;padding:.1em .3em;font-size:.92em}
.text pre{background:var(--soft);border-radius:8px;padding:1rem;overflow-x:auto;font:.9em/1.5 ui-monospace,Menlo,Consolas,monospace}
.scroll{overflow-x:auto}
table{border-collapse:collapse}
th,td{border:1px solid var(--edge);padding:.45rem .75rem;text-align:start;vertical-align:top}
th{background:var(--soft)}
.rating{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem;margin-block-start:3rem;padding-block-start:1.25rem;border-block-start:1px solid var(--edge)}
.rating p{margin:0}
.button{display:inline-flex;align-items:center;min-block-size:2.75rem;padding:.4rem 1.1rem;border:1px solid var(--quiet);border-radius:8px;background:var(--ground);color:inherit;font:inherit;cursor:pointer;text-decoration:none}
.button[hidden]{display:none}
.button:hover{background:var(--soft)}
.ask{background:var(--brand);color:var(--on-brand);border-color:transparent;margin-block:1rem}
.ask:hover{background:var(--brand);filter:brightness(.93)}
footer{border-block-start:1px solid var(--edge);font-size:.9375rem}
footer ul{max-inline-size:64rem;margin-inline:auto;padding:1rem 1.25rem;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
footer a{display:inline-flex;align-items:center;min-block-size:2.75rem}
@media print{:root{color-scheme:light;--ground:#fff;--soft:#f4f5f7;--text:#000;--quiet:#444;--edge:#bbb;--link:#000;--note:#fff}header{background:none;color:#000}.bar{padding:0}nav,.languages,.search,.path,.rating,.skip,footer,.button{display:none!important}main{padding:0;max-inline-size:none}article{max-inline-size:none}h2,table,img{break-inside:avoid}h2{break-after:avoid}}
`;

/** Returns black or white, whichever contrasts more (WCAG 2); the guide chooses the same. */
function getTextColor(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  // At this luminance, black and white have the same contrast.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
