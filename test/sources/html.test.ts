import { describe, expect, it } from 'vitest';
import { type HtmlOptions, readHtml } from '../../server/sources/html.ts';

const URL_OF_PAGE = 'https://shop.example/help/returns';
const TEXT = 'Send the parcel back within thirty days, and we return the money.';

const read = (html: string, options: Partial<HtmlOptions> = {}) =>
  readHtml(html, { url: URL_OF_PAGE, sourceLocale: 'en', nowMillis: Date.now(), ...options });

function readPage(body: string, options?: Partial<HtmlOptions>) {
  const page = read(`<html lang="en"><title>Page</title><body><main>${body}`, options);
  if ('reason' in page) throw new Error(page.reason);
  return page;
}

const toMarkdown = (body: string, options?: Partial<HtmlOptions>) =>
  readPage(`<p>${TEXT}</p>${body}`, options).answer.replace(`${TEXT}\n\n`, '');

describe('readHtml keeps as Markdown', () => {
  it.each([
    [
      'nested lists',
      '<ol><li>Open<ul><li>on Android</li><li>on iOS</ul><li>Close</ol>',
      '1. Open\n\n   - on Android\n   - on iOS\n\n2. Close',
    ],
    [
      'tables, with the first row as headings, and lists in their cells',
      '<table><caption>Costs</caption><tr><td>Country<td>Price | fee<tr><td>Germany<br>Austria<td><ul><li>free<li>5 €</ul></table>',
      'Costs\n\n| Country | Price \\| fee |\n| - | - |\n| Germany Austria | free; 5 € |',
    ],
    ['tables for layout as their text', '<table><tr><td><h2>A</h2><td><p>B</p></table>', '## A\n\nB'],
    [
      'code with its language',
      '<pre><code class="hljs language-js">if (a &lt; b) {\n  run();\n}\n</code></pre>',
      '```js\nif (a < b) {\n  run();\n}\n```',
    ],
    [
      'code in numbered lines without the numbers',
      '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre><td><div class="language-yaml"><pre>a: 1\nb: 2</pre></div></table>',
      '```yaml\na: 1\nb: 2\n```',
    ],
    [
      'code whose lines are elements',
      '<div class="language-ts"><pre><code><div class="line">one</div><div class="line">two</div></code></pre></div>',
      '```ts\none\ntwo\n```',
    ],
    ['names with underscores', '<p>Set snake_case_name to 5 * 3.</p>', 'Set snake_case_name to 5 * 3.'],
    ['tags that the text speaks of', '<p>Use the &lt;b&gt; tag.</p>', 'Use the `<b>` tag.'],
    ['emphasis without the blanks in it', '<p>Press<b> Save </b>now.</p>', 'Press **Save** now.'],
    ['quotes', '<blockquote>One<br>two</blockquote>', '> One\n> two'],
    [
      'questions that open an answer',
      '<details><summary>Is it free?</summary><p>Yes.</p></details>',
      '**Is it free?**\n\nYes.',
    ],
    ['terms', '<dl><dt>Refund<dd>Money back.</dl>', '**Refund**\n\nMoney back.'],
    [
      'the word that a picture stands for',
      '<p>Click <img alt="gear" src="g.png"> now.</p>',
      'Click gear now.',
    ],
    ['no other pictures', '<img src="a.png" alt="Our office"><p>Here.</p>', 'Here.'],
    [
      'absolute links',
      '<p><a href="../terms (1).html">Terms</a>, <a href="mailto:a@b.example">mail</a>, <a href="javascript:x()">no</a></p>',
      '[Terms](https://shop.example/terms%20%281%29.html), [mail](mailto:a@b.example), no',
    ],
    ['remarks beside the text', '<aside class="admonition tip">Keep the box.</aside>', 'Keep the box.'],
    ['no text that was deleted', '<p>It costs <del>9</del> 7 €.</p>', 'It costs 7 €.'],
  ])('%s', (_name, html, markdown) => {
    expect(toMarkdown(html)).toBe(markdown);
  });
});

describe('a heading', () => {
  it.each([
    ['their own id', '<h2 id="steps">Steps <a class="headerlink" href="#steps">¶</a></h2>'],
    ['the id of their section', '<section id="steps"><h2>Steps</h2></section>'],
    ['an anchor inside', '<h2><a name="steps"></a>Steps</h2>'],
    ['an anchor before', '<a id="steps"></a><h2>Steps</h2>'],
    ['a permanent link', '<h2><a href="#steps">Steps</a></h2>'],
  ])('links to itself by %s', (_name, html) => {
    expect(toMarkdown(`${html}<p>x</p>`)).toBe(`## [Steps](${URL_OF_PAGE}#steps)\n\nx`);
  });

  it('links to itself only where it has an id and the page an address', () => {
    expect(toMarkdown('<h2 id="a">A</h2><p>x</p>', { url: undefined })).toBe('## A\n\nx');
    expect(toMarkdown('<h2>A</h2><p>x</p>')).toBe('## A\n\nx');
  });
});

describe('the main content', () => {
  const FRAME = '<header><nav><a href="/">Home</a></nav></header><footer>© Shop</footer>';
  it.each([
    ['a main element', `${FRAME}<div><main><h1>Returns</h1><p>${TEXT}</p></main></div>`],
    [
      'an article',
      `${FRAME}<article><header><h1>Returns</h1></header><p>${TEXT}</p></article><aside>Ads</aside>`,
    ],
    ['a page without landmarks', `<div class="breadcrumbs">Help</div><h1>Returns</h1><p>${TEXT}</p>${FRAME}`],
    [
      'a page with a sidebar',
      `<div class="sidebar">Topics</div><div class="has-sidebar"><h1>Returns</h1><p>${TEXT}</p></div>`,
    ],
    [
      'a page with a closed dialog',
      `<h1>Returns</h1><p>${TEXT}</p><div hidden>Loading</div><div role="dialog">Hi</div>`,
    ],
    [
      'a page with a cookie banner',
      `<h1>Returns</h1><p>${TEXT}</p><div id="cookie-consent">We use cookies.</div>`,
    ],
    [
      'a page with scripts',
      `<h1>Returns</h1><script>"</p>"</script><noscript>Enable</noscript><p>${TEXT}</p><style>p{}</style>`,
    ],
  ])('is found in %s', (_name, html) => {
    expect(read(html)).toMatchObject({ title: 'Returns', answer: TEXT });
  });

  it('is found by the density of its text when no element names it', () => {
    const paragraph = `<p>${`${TEXT} `.repeat(6)}</p>`;
    const links = `<ul>${'<li><a href="/x">Another page of the shop</a></li>'.repeat(40)}</ul>`;
    const page = read(
      `<title>Returns</title><div><div>${links}</div><div>${paragraph.repeat(5)}</div></div>`,
    );
    expect(page).toMatchObject({ answer: expect.not.stringContaining('Another page') });
  });

  it('is found between menus in the same wrapper', () => {
    const menu = `<ul>${'<li><a href="/x">Another page of the shop</a></li>'.repeat(40)}</ul>`;
    const html = `<div><div>${menu}</div><div><div><h1>Returns</h1><p>${TEXT}</p></div><div>${menu}</div></div></div>`;
    expect(read(html)).toMatchObject({ title: 'Returns', answer: TEXT });
  });

  it('includes panels that a button or a tab opens', () => {
    const html =
      '<button aria-controls="a">More</button><p id="a" hidden>Opened.</p><p role="tabpanel" hidden>Tab.</p>';
    expect(toMarkdown(html)).toBe('**More**\n\nOpened.\n\nTab.');
  });
});

describe('the title', () => {
  it.each([
    ['<title>Returns | Shop</title>', 'Returns'],
    ['<title>Returns - Orders - The Shop</title>', 'Returns - Orders'],
    ['<title>Shop – Returns</title><meta property="og:site_name" content="Shop">', 'Returns'],
    ['<title>Sign-in and sign-out</title>', 'Sign-in and sign-out'],
    ['<title>Anything</title><h1>Returns <a href="#x">#</a></h1>', 'Returns'],
    ['<title>Returns | Shop</title><h1>Shop</h1>', 'Returns'],
    ['<h1>Returns</h1>', 'Returns'],
  ])('is taken from %s', (html, title) => {
    expect(read(`${html}<p>${TEXT}</p>`)).toMatchObject({ title, answer: TEXT });
  });
});

describe('the language', () => {
  const GERMAN = 'Schicken Sie das Paket zurück, und wir erstatten Ihnen das Geld für die Bestellung.';
  it.each([
    ['the attribute', '<html lang="de-AT">', {}, 'de-AT'],
    ['the attribute, as the source writes it', '<html lang="en-US">', {}, 'en'],
    ['a meta element', '<meta http-equiv="content-language" content="fr, en">', {}, 'fr'],
    ['the header', '', { contentLanguage: 'pt-BR' }, 'pt-BR'],
    ['the words', '', {}, 'de'],
    ['the words where the attribute is no language', '<html lang="xx-invalid-">', {}, 'de'],
  ])('is read from %s', (_name, head, options, locale) => {
    expect(read(`${head}<title>T</title><p>${GERMAN}</p>`, options)).toMatchObject({ locale });
  });
});

describe('readHtml refuses', () => {
  it.each([
    ['no_index', `<meta name="robots" content="noindex, follow"><h1>T</h1><p>${TEXT}</p>`],
    ['no_content', '<title>App</title><div id="root"></div><script>render()</script>'],
    ['no_content', '<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript>'],
    ['no_content', `<p>${TEXT}</p>`],
    [
      'no_content',
      '<title>Shop</title><p>We value your privacy. We use cookies, and our partners use cookies too.</p><button>Accept all</button>',
    ],
    ['too_deep', `<title>T</title>${'<div>'.repeat(100_000)}${TEXT}`],
    ['too_deep', `<title>T</title>${'<div>'.repeat(1_000)}${TEXT}`],
    ['too_deep', `<title>T</title>${'<b><i>'.repeat(30_000)}${TEXT}`],
    ['too_large', `<title>T</title><p>${`${TEXT} `.repeat(2_000)}</p>`],
  ])('a page as %s', (reason, html) => {
    expect(read(html)).toMatchObject({ reason });
  });

  it('no article about cookies', () => {
    const html =
      '<h1>Cookies</h1><p>Our shop needs cookies. Accept cookies in your browser.</p><button>Accept</button>';
    expect(read(html)).toMatchObject({ title: 'Cookies' });
  });

  it('a page and still names its links', () => {
    const html = `<meta name="robots" content="noindex"><a href="a">A</a><a href="b" rel="nofollow">B</a><a href="file:///etc">C</a>`;
    expect(read(html)).toMatchObject({ reason: 'no_index', links: ['https://shop.example/help/a'] });
  });
});

it('readHtml reads canonical and alternate links', () => {
  const html =
    '<base href="/de/"><link rel="canonical" href="x"><link rel="alternate" hreflang="en_GB" href="/en/x"><link rel="alternate" hreflang="x-default" href="/">';
  expect(read(`${html}<title>T</title><p>${TEXT}</p>`)).toMatchObject({
    canonical: 'https://shop.example/de/x',
    alternates: [{ locale: 'en-GB', url: 'https://shop.example/en/x' }],
  });
});
