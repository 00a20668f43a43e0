/**
 * Conversations with the expected behaviour of each turn, over the demo's articles (GNOME help) and
 * the tests' shop.
 */

export type Turn = {
  readonly asks: string;
  /** Articles that answer the question; absent if no article does. */
  readonly from?: readonly string[];
};

export type Conversation = {
  readonly about: 'desktop' | 'shop';
  /** The preferred language of the browser, and the expected language of the answer. */
  readonly locale: string;
  readonly turns: readonly Turn[];
};

export const conversations: readonly Conversation[] = [
  {
    about: 'desktop',
    locale: 'en',
    turns: [
      { asks: 'How do I turn Bluetooth on?', from: ['bluetooth-turn-on-off'] },
      { asks: 'How can I send a file to a Bluetooth device?', from: ['bluetooth-send-file'] },
    ],
  },
  {
    about: 'desktop',
    locale: 'en',
    turns: [{ asks: 'How do I change my password?', from: ['user-changepassword', 'user-goodpassword'] }],
  },
  {
    about: 'desktop',
    locale: 'en',
    turns: [
      {
        asks: 'How do I print on both sides of the paper?',
        from: ['printing-2sided', 'printing-booklet-duplex'],
      },
    ],
  },
  {
    about: 'desktop',
    locale: 'en',
    turns: [{ asks: 'My laptop fan is always running', from: ['power-constantfan', 'power-hotcomputer'] }],
  },
  {
    about: 'desktop',
    locale: 'en',
    turns: [{ asks: 'How do I recover a file from the trash?', from: ['files-recover'] }],
  },
  { about: 'desktop', locale: 'en', turns: [{ asks: 'What is a MAC address?', from: ['net-macaddress'] }] },
  {
    about: 'desktop',
    locale: 'en-GB',
    turns: [{ asks: 'How do I connect to a hidden wireless network?', from: ['net-wireless-hidden'] }],
  },
  { about: 'desktop', locale: 'en', turns: [{ asks: 'Which restaurants nearby are open tonight?' }] },
  { about: 'desktop', locale: 'en', turns: [{ asks: 'Who won the football world cup in 1998?' }] },
  { about: 'desktop', locale: 'en', turns: [{ asks: 'Can you write me a poem about spring?' }] },
  {
    about: 'desktop',
    locale: 'de',
    turns: [
      { asks: 'Wie ändere ich die Zeitzone?', from: ['clock-timezone', 'clock-set'] },
      {
        asks: 'Wie stelle ich die Bildschirmhelligkeit ein?',
        from: ['display-brightness', 'power-autobrightness'],
      },
    ],
  },
  {
    about: 'desktop',
    locale: 'de-AT',
    turns: [{ asks: 'Wie verbinde ich mich mit einem VPN?', from: ['net-vpn-connect'] }],
  },
  { about: 'desktop', locale: 'de', turns: [{ asks: 'Was kostet ein Zugticket nach Hamburg?' }] },
  {
    about: 'desktop',
    locale: 'es',
    turns: [{ asks: '¿Cómo conecto otro monitor a mi equipo?', from: ['display-dual-monitors'] }],
  },
  {
    about: 'desktop',
    locale: 'es',
    turns: [{ asks: '¿Cómo creo un punto de acceso inalámbrico?', from: ['net-wireless-adhoc'] }],
  },
  { about: 'desktop', locale: 'es', turns: [{ asks: '¿Cuál es la receta de la paella valenciana?' }] },
  {
    about: 'desktop',
    locale: 'fr',
    turns: [{ asks: 'Comment activer les touches lentes ?', from: ['a11y-slowkeys'] }],
  },
  {
    about: 'desktop',
    locale: 'fr',
    turns: [{ asks: 'Comment régler la vitesse du double-clic ?', from: ['mouse-doubleclick'] }],
  },
  { about: 'desktop', locale: 'fr', turns: [{ asks: 'Quel temps fera-t-il demain à Lyon ?' }] },
  {
    about: 'desktop',
    locale: 'ru',
    turns: [{ asks: 'Как узнать, сколько осталось места на диске?', from: ['disk-capacity'] }],
  },
  {
    about: 'desktop',
    locale: 'ru',
    turns: [{ asks: 'Как войти по отпечатку пальца?', from: ['session-fingerprint'] }],
  },
  { about: 'desktop', locale: 'ru', turns: [{ asks: 'Кто написал роман «Война и мир»?' }] },
  {
    about: 'desktop',
    locale: 'ja',
    turns: [
      {
        asks: 'コンピューターが熱くならないようにファンが回り続けるのはなぜですか',
        from: ['power-constantfan', 'power-hotcomputer'],
      },
    ],
  },
  {
    about: 'desktop',
    locale: 'ja',
    turns: [{ asks: 'パスワードを変更するには', from: ['user-changepassword'] }],
  },
  {
    about: 'desktop',
    locale: 'zh-CN',
    turns: [{ asks: '如何打开或关闭蓝牙？', from: ['bluetooth-turn-on-off'] }],
  },
  { about: 'desktop', locale: 'zh-CN', turns: [{ asks: '明天的股票价格是多少？' }] },
  {
    about: 'desktop',
    locale: 'fa',
    turns: [
      {
        asks: 'چگونه قفل صفحه را خودکار کنم؟',
        from: ['privacy-screen-lock', 'session-screenlocks', 'shell-lockscreen'],
      },
    ],
  },
  {
    about: 'shop',
    locale: 'en',
    turns: [
      { asks: 'How do I reset my password?', from: ['reset-password'] },
      { asks: 'How long is the link valid?', from: ['reset-password'] },
    ],
  },
  {
    about: 'shop',
    locale: 'en',
    turns: [{ asks: 'How long does delivery abroad take?', from: ['delivery-times'] }],
  },
  { about: 'shop', locale: 'en', turns: [{ asks: 'Do you sell aquarium fish?' }] },
  {
    about: 'shop',
    locale: 'de',
    turns: [{ asks: 'Wie gebe ich eine Bestellung zurück?', from: ['return-an-order'] }],
  },
  { about: 'shop', locale: 'pt-BR', turns: [{ asks: 'Como redefinir a senha?', from: ['reset-password'] }] },
];
