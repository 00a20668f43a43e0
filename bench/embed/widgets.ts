/** The widgets, each on a page as its own documentation puts it there; what they load lies in this folder's packages. */
export type Widget = {
  readonly name: string;
  readonly html: (service: string) => string;
  /** What a visitor clicks; absent where there is nothing to open. */
  readonly launcher?: string;
  /** Where a visitor writes, once it is open. */
  readonly field: string;
};

export const widgets: readonly Widget[] = [
  // What the page itself costs, to be taken off from the others.
  { name: 'the page alone', html: () => '', field: 'h1' },
  {
    name: 'guidepost',
    html: (service) =>
      `<script src="${service}/guide.js" data-gp-app="gp_demo" data-gp-api="${service}" async></script>`,
    launcher: 'guidepost-guide .launcher',
    field: 'guidepost-guide textarea:enabled',
  },
  {
    name: '@n8n/chat',
    html: () => `<link rel="stylesheet" href="/@n8n/chat/dist/style.css">
      <script type="module">
        import { createChat } from '/@n8n/chat/dist/chat.bundle.es.js';
        createChat({ webhookUrl: '/answers', mode: 'window' });
      </script>`,
    launcher: '.chat-window-toggle',
    field: '.chat-window textarea',
  },
  {
    name: 'deep-chat',
    html: () => `<script type="module" src="/deep-chat/dist/deepChat.bundle.js"></script>
      <deep-chat connect='{"url": "/answers"}'></deep-chat>`,
    field: 'deep-chat #text-input',
  },
  {
    name: '@typebot.io/js',
    html: () => `<script type="module">
        import Typebot from '/@typebot.io/js/dist/web.js';
        Typebot.initBubble({ typebot: 'bench', apiHost: location.origin });
      </script>`,
    launcher: 'typebot-bubble button',
    field: 'typebot-bubble input, typebot-bubble textarea',
  },
  {
    name: 'flowise-embed',
    html: () => `<script type="module">
        import Chatbot from '/flowise-embed/dist/web.js';
        Chatbot.init({ chatflowid: 'bench', apiHost: location.origin });
      </script>`,
    launcher: 'flowise-chatbot button',
    field: 'flowise-chatbot textarea',
  },
];

/** What the services behind the others answer, as far as they need it to open. */
export const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/v1/typebots/bench/startChat': {
    sessionId: 'bench',
    typebot: { id: 'bench', version: '6', theme: {}, settings: {} },
    messages: [],
    input: { id: 'question', type: 'text input', options: {} },
  },
  '/api/v1/public-chatbotConfig/bench': {},
  '/api/v1/chatflows-streaming/bench': { isStreaming: false },
};
