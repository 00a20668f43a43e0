// A small single-page application: it routes by itself and renders the whole page on every change.

const state = {
  invoices: [
    { id: '1041', to: 'Harbour Bakery', paid: true },
    { id: '1042', to: 'Studio Nine', paid: false },
    { id: '1043', to: 'Wren & Co', paid: false },
  ],
  name: 'Nell Ashgrove',
  message: '',
};

const screens = {
  '/dashboard': () => [
    ['h1', {}, 'Overview'],
    ['p', {}, 'Two invoices wait for their money.'],
    ['button', { onclick: () => go('/dashboard/invoices') }, 'See all invoices'],
  ],
  '/dashboard/invoices': () => [
    ['h1', {}, 'Invoices'],
    [
      'button',
      { className: 'main', onclick: () => say('A new invoice would open here.') },
      'Create an invoice',
    ],
    [
      'table',
      {},
      [
        'thead',
        {},
        ['tr', {}, ['th', {}, 'Invoice'], ['th', {}, 'Customer'], ['th', {}, 'State'], ['th', {}, 'Do']],
      ],
      [
        'tbody',
        {},
        ...state.invoices.map((invoice) => [
          'tr',
          {},
          ['td', {}, invoice.id],
          ['td', {}, invoice.to],
          ['td', {}, invoice.paid ? 'Paid' : 'Open'],
          [
            'td',
            {},
            ['button', { onclick: () => remove(invoice) }, 'Delete'],
            ['button', {}, 'Send a reminder'],
          ],
        ]),
      ],
    ],
  ],
  '/dashboard/settings': () => [
    ['h1', {}, 'Settings'],
    ['label', { htmlFor: 'name' }, 'Display name'],
    ['input', { id: 'name', value: state.name }],
    ['button', { className: 'main', onclick: () => say('Saved.') }, 'Save settings'],
    ['h2', {}, 'Security'],
    ['button', {}, 'Turn on two-step sign-in'],
  ],
};

const links = { Overview: '/dashboard', Invoices: '/dashboard/invoices', Settings: '/dashboard/settings' };

function make([name, properties, ...children]) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children.map((child) => (Array.isArray(child) ? make(child) : child)));
  return element;
}

function draw() {
  const screen = screens[location.pathname] ?? screens['/dashboard'];
  const items = Object.entries(links).map(([text, href]) => {
    const link = make(['a', { href, onclick: (event) => follow(event, href) }, text]);
    if (href === location.pathname) link.setAttribute('aria-current', 'page');
    return ['li', {}, link];
  });
  const message = make(['p', { className: 'message' }, state.message]);
  message.setAttribute('role', 'status');
  const nav = ['nav', { ariaLabel: 'Sections' }, ['b', {}, 'Ledgerly'], ['ul', {}]];
  const drawn = make(['div', { className: 'frame' }, nav, ['main', {}, ...screen(), message]]);
  drawn.querySelector('ul').append(
    ...items.map((item) => {
      const entry = document.createElement('li');
      entry.append(item[2]);
      return entry;
    }),
  );
  document.querySelector('#app').replaceChildren(drawn);
}

function follow(event, href) {
  event.preventDefault();
  go(href);
}

function go(path) {
  history.pushState({}, '', path);
  state.message = '';
  draw();
}

function say(message) {
  state.message = message;
  draw();
}

function remove(invoice) {
  state.invoices = state.invoices.filter((other) => other !== invoice);
  say(`Invoice ${invoice.id} is gone.`);
}

addEventListener('popstate', draw);
draw();
