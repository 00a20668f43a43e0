/** Pages that do what customers' pages do to their scripts, styles, events and elements. */

export type AnyPage = {
  name: string;
  head?: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** Replaces the script tag. */
  tag?: (service: string) => string;
  /** Runs in the page before the visitor opens the guide, such as opening a dialog. */
  prepare?: string;
  /** Must be true at the end. */
  holds?: string;
};

const script = (service: string, attributes = '', address = `${service}/guide.js`) =>
  `<script src="${address}" ${attributes} async></script>`;
export const defaultTag = (service: string) =>
  script(service, `data-gp-app="gp_demo" data-gp-api="${service}"`);
const withNonce = (service: string) =>
  script(service, `data-gp-app="gp_demo" data-gp-api="${service}" nonce="abc"`);

const TALL = '<style>main { height: 4000px }</style>';
const styled = (style: string) => `${TALL}<style>${style}</style>`;
/** Inserts a script element as tag managers do: without attributes, after the page has loaded. */
export const insertLate = (service: string, query = '') => `<script>
  addEventListener('load', () => setTimeout(() => {
    const late = document.createElement('script');
    Object.assign(late, { async: true, src: '${service}/guide.js${query}' });
    document.head.append(late);
  }, 200));
</script>`;
const csp = (service: string, policy: string) => ({
  'content-security-policy': `${policy}; connect-src ${service}`,
});
const lib = (path: string) => `<script src="/lib/${path}"></script>`;
const form = (names: string) => `<form action="/x">
  <script>for (const name of ${names}) document.currentScript.insertAdjacentHTML('afterend', \`<input name="\${name}" aria-label="\${name}">\`);</script>
  <button>Send order</button></form>`;

/** Writes the document anew, as some templating scripts and error handlers do, which removes every listener. */
const rewrite = (html: string) => `new Promise((shown) => {
  document.open();
  document.write(\`<!doctype html><html lang="en"><head><title>Anew</title></head><body>${html}</body></html>\`);
  document.close();
  ${WHEN_SHOWN}
})`;
/** Resolves once the launcher is in view again. */
const WHEN_SHOWN = `const timer = setInterval(() => {
  if (!document.querySelector('guidepost-guide')?.shadowRoot?.querySelector('.launcher')?.checkVisibility()) return;
  clearInterval(timer);
  shown();
}, 50);`;
const ONE_GUIDE = 'document.querySelectorAll("guidepost-guide").length === 1';

export const listPages = (service: string): readonly AnyPage[] => [
  { name: 'plain' },
  // Events.
  {
    name: 'lenis',
    head: `${TALL}${lib('lenis/dist/lenis.min.js')}<script>new Lenis({ autoRaf: true })</script>`,
  },
  {
    name: 'wheel-prevented',
    head: `${TALL}<script>
      for (const type of ['wheel', 'touchmove']) addEventListener(type, (event) => event.preventDefault(), { passive: false });
    </script>`,
  },
  {
    name: 'wheel-captured',
    head: `${TALL}<script>
      for (const type of ['wheel', 'touchmove'])
        document.addEventListener(type, (event) => event.preventDefault(), { passive: false, capture: true });
    </script>`,
  },
  {
    name: 'prevented-first',
    head: `${TALL}<script>
      for (const type of ['wheel', 'touchmove'])
        addEventListener(type, (event) => event.preventDefault(), { passive: false, capture: true });
      addEventListener('keydown', (event) => event.key === ' ' && event.preventDefault(), true);
    </script>`,
  },
  {
    name: 'copy-protection',
    head: `<style>html, body, * { user-select: none; -webkit-user-select: none }</style><script>
      for (const type of ['copy', 'cut', 'paste', 'selectstart', 'contextmenu', 'dragstart', 'mousedown', 'beforeinput'])
        document.addEventListener(type, (event) => event.preventDefault(), true);
    </script>`,
  },
  {
    name: 'shortcuts',
    head: `<script>
      window.shortcuts = [];
      document.addEventListener('keydown', (event) => { shortcuts.push(event.key); event.preventDefault(); }, true);
      addEventListener('keydown', (event) => {
        if (!event.target.isContentEditable) shortcuts.push(event.key);
      }, true);
    </script>`,
    holds: 'shortcuts.every((key) => key.length > 1)',
  },
  {
    name: 'bootstrap-modal',
    head: `<link rel="stylesheet" href="/lib/bootstrap/dist/css/bootstrap.min.css">${lib('bootstrap/dist/js/bootstrap.bundle.min.js')}`,
    body: '<div class="modal" id="modal" tabindex="-1"><div class="modal-dialog"><div class="modal-content"><input></div></div></div>',
    prepare: 'new bootstrap.Modal("#modal").show()',
    holds: 'document.querySelector("#modal").classList.contains("show")',
  },
  {
    name: 'focus-trap',
    head: lib('tabbable/dist/index.umd.min.js') + lib('focus-trap/dist/focus-trap.umd.min.js'),
    body: '<div id="trap"><input><button>Close</button></div>',
    prepare:
      'window.trap = focusTrap.createFocusTrap("#trap", { escapeDeactivates: false }); trap.activate()',
    holds: 'trap.active',
  },
  {
    name: 'jquery-ui-dialog',
    head: lib('jquery/dist/jquery.min.js') + lib('jquery-ui/dist/jquery-ui.min.js'),
    body: '<div id="dialog"><input></div>',
    prepare: '$("#dialog").dialog({ modal: true })',
    holds: '$("#dialog").dialog("isOpen")',
  },
  { name: 'focus-taken-back', body: '<input onblur="this.focus()" autofocus>' },
  { name: 'mui-dialog', body: lib('dialogs.js'), holds: '!!document.querySelector("[role=dialog]")' },
  { name: 'radix-dialog', body: lib('dialogs.js'), holds: '!!document.querySelector("[role=dialog]")' },
  // Functions of the browser.
  {
    name: 'fetch-wrapped',
    head: `<script>
      const inner = window.fetch;
      window.fetch = async (url, options) => {
        if (typeof url !== 'string') throw new Error('no string');
        const added = { 'x-trace-id': 'abc123', baggage: 'a=b', 'sentry-trace': '1', 'x-csrf-token': 'c' };
        return inner.call(window, url, { ...options, headers: { ...options?.headers, ...added } });
      };
    </script>`,
  },
  {
    name: 'fetch-with-cookies',
    head: `<script>
      const inner = window.fetch;
      window.fetch = (url, options) => inner(url, { ...options, credentials: 'include' });
    </script>`,
  },
  {
    name: 'fetch-polyfilled',
    head: `<script>
      const inner = window.fetch;
      window.fetch = async (...call) => {
        const reply = await inner(...call);
        return new Proxy(reply, {
          get: (of, name) => name === 'body' ? undefined : typeof of[name] === 'function' ? of[name].bind(of) : of[name],
        });
      };
    </script>`,
  },
  {
    name: 'prototype',
    head: `<script>(() => {
      const copy = (of) => {
        if (!of) return [];
        if ('toArray' in Object(of)) return of.toArray();
        const all = new Array(of.length || 0);
        for (let at = 0; at < all.length; at += 1) all[at] = of[at];
        return all;
      };
      Array.from = copy;
      Array.prototype.toArray = Array.prototype.entries = function () { return [].concat(this); };
      Array.prototype.toJSON = function () { return '[' + this.map(JSON.stringify).join(',') + ']'; };
      String.prototype.toJSON = function () { return this.valueOf(); };
      Element.prototype.scrollTo = function () { window.scrollTo(0, this.offsetTop); return this; };
      Element.prototype.remove = function () { this.parentNode.removeChild(this); return this; };
    })()</script>`,
  },
  { name: 'form-matches', body: form('["matches"]') },
  {
    name: 'form-every-name',
    body: form(
      `(() => { const names = []; for (const name in document.createElement('form')) names.push(name); return names; })()`,
    ),
  },
  {
    name: 'document-names',
    body: '<form name="body"></form><form name="title"></form><img name="head" alt="">',
  },
  {
    name: 'form-getAttribute',
    body: form('["getAttribute", "closest", "children", "tagName"]'),
  },
  {
    name: 'global-names',
    head: `<script>
      var URL = '/shop', Event = { observe() {} }, Request = 1, Option = 1, Headers = 1, guide = 1, texts = 1, CSS = {};
      class CustomEvent {}
      class Text {}
    </script>`,
  },
  {
    name: 'object-prototype',
    head: `<script>
      for (const name of ['extend', 'each', 'clone', 'size', 'get']) Object.prototype[name] = function () { return this; };
    </script>`,
  },
  {
    name: 'frozen',
    head: `<script>
      for (const of of [Object, Array, Function, Error, Promise, Map, Set, RegExp, String]) Object.freeze(of.prototype);
    </script>`,
  },
  { name: 'zone', head: lib('zone.js/bundles/zone.umd.js') },
  {
    name: 'scoped-elements',
    head: lib('@webcomponents/scoped-custom-element-registry/scoped-custom-element-registry.min.js'),
  },
  {
    name: 'listeners-passive',
    head: `<script>
      const inner = EventTarget.prototype.addEventListener;
      EventTarget.prototype.addEventListener = function (type, listener, options) {
        const given = typeof options === 'object' ? options : { capture: options };
        return inner.call(this, type, listener, { ...given, passive: true });
      };
    </script>`,
  },
  {
    name: 'cookie-blocker',
    head: `<script>
      const create = document.createElement;
      document.createElement = (...given) => Object.assign(create.apply(document, given), given[0] === 'script' ? { type: 'text/plain' } : {});
      for (const name of ['appendChild', 'insertBefore', 'append', 'prepend']) {
        const inner = Element.prototype[name];
        Element.prototype[name] = function (...nodes) {
          return nodes.some((node) => node.localName === 'script') ? nodes[0] : inner.apply(this, nodes);
        };
      }
    </script>`,
  },
  {
    name: 'shadow-wrapped',
    head: `<script>
      const attach = Element.prototype.attachShadow;
      Element.prototype.attachShadow = function (init) {
        const root = attach.call(this, init);
        const style = Object.assign(document.createElement('style'), { textContent: '* { color: green }' });
        const addStyle = () => root.firstChild === style || root.prepend(style);
        new MutationObserver(addStyle).observe(root, { childList: true });
        addStyle();
        return root;
      };
      const { define } = customElements;
      customElements.define = (name, type, options) => define.call(customElements, name, class extends type {}, options);
    </script>`,
  },
  {
    name: 'append-replaced',
    head: `<script>
      Element.prototype.append = function (child) {
        if (typeof child === 'string') this.insertAdjacentHTML('beforeend', child);
        else this.appendChild(child);
        return this;
      };
      Element.prototype.show = Element.prototype.hide = Element.prototype.animate = function () { return this; };
    </script>`,
  },
  {
    name: 'intl-replaced',
    head: '<script>window.Intl = { DateTimeFormat: Intl.DateTimeFormat, NumberFormat: Intl.NumberFormat }</script>',
  },
  {
    name: 'no-languages',
    head: `<script>
      for (const name of ['language', 'languages']) Object.defineProperty(Navigator.prototype, name, { value: undefined });
    </script>`,
  },
  {
    name: 'storage-throws',
    head: `<script>
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
        Object.defineProperty(window, name, { get() { throw new DOMException('', 'SecurityError'); } });
    </script>`,
  },
  // Large and broken pages.
  {
    name: 'deep',
    body: `<script>{
      let inner = document.body.appendChild(document.createElement('section'));
      for (let depth = 0; depth < 5000; depth += 1) inner = inner.appendChild(document.createElement('span'));
      inner.append('At the bottom');
    }</script>`,
  },
  {
    name: 'long',
    body: '<ul hidden></ul><script>document.querySelector("ul").innerHTML = "<li><button>Item</button> of many".repeat(30000); document.querySelector("ul").hidden = false; document.querySelector("ul").style.cssText = "height: 100px; overflow: hidden"</script>',
  },
  {
    name: 'far-away',
    body: '<div style="position: absolute; inset: -2e7px auto auto -2e7px"><button>Menu</button></div><div style="position: absolute; block-size: 3e7px; inline-size: 1px"></div>',
    head: '<script>Object.defineProperty(window, "scrollX", { value: undefined })</script>',
  },
  {
    name: 'languages',
    head: '<script>document.documentElement.lang = "english (US)"</script>',
    tag: (service) => defaultTag(service).replace('async', 'data-gp-lang="en_GB.UTF-8" async'),
    holds: 'document.querySelector("guidepost-guide").shadowRoot.querySelector("aside").lang === "en-GB"',
  },
  {
    name: 'address',
    prepare: 'history.replaceState(null, "", "/%E0%A4%A?q=%&%C3#%ZZ")',
  },
  {
    name: 'no-referrer',
    headers: { 'referrer-policy': 'no-referrer', 'permissions-policy': 'unload=(), clipboard-write=()' },
  },
  // Observers.
  {
    name: 'observer-of-body',
    head: `<script>addEventListener('DOMContentLoaded', () => new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.localName?.includes('-')) node.remove();
    }).observe(document.body, { childList: true }))</script>`,
  },
  // Styles.
  ...(
    [
      ['body-filter', 'body { filter: grayscale(1); margin: 0 }'],
      ['body-transform', 'body { transform: translateZ(0); margin: 0 }'],
      ['body-contain', 'body { contain: strict; height: 4000px }'],
      ['body-perspective', 'body { perspective: 100px; will-change: transform }'],
      ['body-opacity', 'body { opacity: 0.01; overflow: hidden; position: fixed; pointer-events: none }'],
      ['root-transform', 'html { transform: translateZ(0); perspective: 10px; contain: layout paint }'],
      ['root-filter', 'html { filter: invert(1) hue-rotate(180deg) }'],
      ['root-zoom', 'html { zoom: 1.5 }'],
      ['body-zoom', 'body { zoom: 2 }'],
      [
        'aggressive',
        '* { all: unset !important; letter-spacing: 1em !important; direction: rtl !important; writing-mode: vertical-rl !important; visibility: hidden !important }',
      ],
      ['hidden-children', 'body > *:not(main) { display: none !important }'],
      ['overlay', 'main::after { content: ""; position: fixed; inset: 0; z-index: 2147483647 }'],
      ['small-root-font', 'html { font-size: 62.5% }'],
    ] as const
  ).map(([name, style]) => ({ name, head: styled(style) })),
  {
    name: 'variables',
    head: styled(':root { --brand: 210 40% 98%; --on-brand: red; --tone: 1; --accent: red; --paper: none }'),
    holds:
      'getComputedStyle(Guidepost.shadowRoot.querySelector(".launcher")).backgroundColor === "rgb(31, 85, 196)"',
  },
  {
    name: 'backdrop',
    head: styled('::backdrop { background: #000c !important; pointer-events: auto !important }'),
    holds: 'getComputedStyle(Guidepost, "::backdrop").display === "none"',
  },
  {
    name: 'filter-later',
    head: TALL,
    prepare: 'document.body.style.cssText = "filter: contrast(1.5); transform: scale(1)"',
  },
  // Dialogs and other parts of the page.
  {
    name: 'native-dialog',
    body: '<dialog id="dialog"><p>A dialog</p><button>Yes</button></dialog>',
    prepare: `new Promise((moved) => {
      document.querySelector('#dialog').showModal();
      setTimeout(moved, 200);
    })`,
    holds:
      'document.querySelector("#dialog").open && document.querySelector("#dialog guidepost-guide") !== null',
  },
  {
    name: 'native-dialog-closed',
    body: '<dialog id="dialog"><p>A dialog</p><button>Yes</button></dialog>',
    prepare: `new Promise((closed) => {
      const dialog = document.querySelector('#dialog');
      dialog.showModal();
      setTimeout(() => { dialog.close(); setTimeout(closed, 200); }, 200);
    })`,
    holds: 'document.querySelector("#dialog guidepost-guide") === null',
  },
  {
    name: 'inert-page',
    prepare: `new Promise((set) => {
      for (const part of [...document.body.children, Guidepost]) { part.inert = true; part.ariaHidden = 'true'; }
      setTimeout(set);
    })`,
    holds: '!document.querySelector("guidepost-guide").closest("[inert], [aria-hidden]")',
  },
  {
    name: 'body-replaced',
    prepare: 'document.body.replaceWith(document.body.cloneNode(true))',
    holds: ONE_GUIDE,
  },
  {
    name: 'document-rewritten',
    prepare: rewrite('<h1>Another page</h1>'),
    holds: ONE_GUIDE,
  },
  {
    name: 'document-rewritten-with-tag',
    prepare: rewrite(`<h1>Another page</h1>${defaultTag(service)}`),
    holds: ONE_GUIDE,
  },
  {
    name: 'root-replaced',
    prepare: `new Promise((shown) => {
      document.documentElement.replaceWith(document.documentElement.cloneNode(true));
      ${WHEN_SHOWN}
    })`,
    holds: ONE_GUIDE,
  },
  {
    name: 'turbo',
    head: '<script type="module" src="/lib/@hotwired/turbo/dist/turbo.es2017-esm.js"></script>',
    body: '<a href="/plain" id="next">Next</a>',
    prepare: `new Promise((visited) => {
      addEventListener('turbo:load', () => setTimeout(visited, 200), { once: true });
      document.querySelector('#next').click();
    })`,
    holds: 'location.pathname === "/plain"',
  },
  {
    name: 'turbo-morph',
    head: '<meta name="turbo-refresh-method" content="morph"><script type="module" src="/lib/@hotwired/turbo/dist/turbo.es2017-esm.js"></script>',
    prepare: `new Promise((visited) => {
      addEventListener('turbo:load', () => setTimeout(visited, 200), { once: true });
      Turbo.visit(location.href, { action: 'replace' });
    })`,
  },
  {
    name: 'shadow-dialog',
    body: '<div id="shadow"></div>',
    prepare: `new Promise((opened) => {
      const shadow = document.querySelector('#shadow').attachShadow({ mode: 'open' });
      shadow.innerHTML = '<dialog><p>A dialog</p><button>Yes</button></dialog>';
      shadow.firstChild.showModal();
      setTimeout(opened, 200);
    })`,
    holds: 'document.querySelector("#shadow").shadowRoot.firstChild.open',
  },
  {
    name: 'popover-over-all',
    body: '<div id="over" popover="manual" style="inset: 0; inline-size: auto; block-size: auto"></div>',
    prepare: 'document.querySelector("#over").showPopover()',
  },
  // Where the script tag stands, and what policies the page has.
  { name: 'tag-in-address', tag: () => script(service, '', `${service}/guide.js?app=gp_demo`) },
  {
    name: 'tag-with-global',
    head: '<script>window.GuidepostSettings = { app: "gp_demo" }</script>',
    tag: () => script(service),
  },
  { name: 'tag-manager', tag: () => insertLate(service, '?app=gp_demo') },
  {
    name: 'tag-manager-with-global',
    head: '<script>window.GuidepostSettings = { app: "gp_demo" }</script>',
    tag: () => insertLate(service),
  },
  {
    name: 'rocket',
    tag: () => `<script type="text/rocketlazy" data-gp-app="gp_demo" data-gp-api="${service}" id="lazy"></script><script>
      addEventListener('load', async () => {
        const text = await (await fetch('${service}/guide.js')).text();
        const script = Object.assign(document.createElement('script'), { textContent: text });
        for (const { name, value } of lazy.attributes) if (name.startsWith('data-gp')) script.setAttribute(name, value);
        lazy.replaceWith(script);
      });
    </script>`,
  },
  {
    name: 'service-worker',
    prepare: `new Promise((controlled) => {
      navigator.serviceWorker.addEventListener('controllerchange', controlled);
      navigator.serviceWorker.register('/worker.js');
    })`,
    holds: 'navigator.serviceWorker.ready.then((worker) => worker.unregister())',
  },
  { name: 'never-loaded', body: '<img src="/hangs" alt="">' },
  {
    name: 'load-delayed',
    head: `<script>
      Object.defineProperty(document, 'readyState', { get: () => 'loading' });
      const inner = EventTarget.prototype.addEventListener;
      EventTarget.prototype.addEventListener = function (type, ...given) {
        if (type !== 'load' && type !== 'DOMContentLoaded') return inner.call(this, type, ...given);
      };
    </script>`,
  },
  { name: 'base', head: '<base href="https://cdn.example/assets/" target="_blank">' },
  {
    name: 'coep',
    headers: { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' },
  },
  {
    name: 'csp-nonce',
    headers: csp(service, "default-src 'self'; script-src 'nonce-abc'"),
    tag: withNonce,
  },
  {
    name: 'csp-strict-dynamic',
    headers: csp(service, "script-src 'nonce-abc' 'strict-dynamic'; object-src 'none'; base-uri 'none'"),
    tag: withNonce,
  },
  {
    name: 'csp-trusted-types',
    headers: csp(service, `require-trusted-types-for 'script'; trusted-types 'none'; script-src ${service}`),
  },
  { name: 'xhtml', headers: { 'content-type': 'application/xhtml+xml' } },
];
