import { identity, memoize } from '../cache.ts';
import { listFunctionWords } from '../phrases/function-words.ts';
import { getLanguage, hasUnspacedLetters } from '../text.ts';
import type { EngineQuestion, EngineTarget } from './engine.ts';

/**
 * Names that visitors and websites use for the usual parts of a page, in many languages. A line is one meaning; its phrases are separated by `|`.
 * The words of a phrase may be apart in a question ("sign me out").
 */
const PAGE_MEANINGS: readonly string[] = [
  // Sign in
  'sign in|signing in|log in|login|logging in|log on|anmelden|melde an|einloggen|logge ein|connexion|se connecter|me connecter|connecte|identifier|iniciar sesión|inicio sesión|ingresar|entrar|accedere|accedi|accesso|login|iniciar sessão|fazer login|inloggen|log in|logga in|loggar in|log ind|logge på|logg inn|kirjaudu|kirjautua sisään|zaloguj|logowanie|zalogować|přihlásit|přihlášení|autentificare|conectare|bejelentkezés|belépés|войти|вход|увійти|вхід|σύνδεση|συνδεθώ|είσοδος|giriş|oturum aç|تسجيل الدخول|الدخول|התחברות|להתחבר|ورود|लॉग इन|साइन इन|เข้าสู่ระบบ|đăng nhập|masuk|サインイン|ログイン|로그인|登录|登入|登陆',
  // Sign out
  'sign out|signing out|log out|logout|logging out|log off|abmelden|melde ab|ausloggen|logge aus|déconnexion|se déconnecter|me déconnecter|déconnecte|cerrar sesión|cierro sesión|salir|desconectarme|esci|uscire|disconnetti|disconnettere|terminar sessão|sair|uitloggen|log uit|afmelden|logga ut|loggar ut|log ud|logg ut|kirjaudu ulos|wyloguj|wylogować|odhlásit|odhlášení|deconectare|kijelentkezés|выйти|выход|вийти|вихід|αποσύνδεση|αποσυνδεθώ|çıkış|oturumu kapat|تسجيل الخروج|الخروج|התנתקות|להתנתק|יציאה|خروج|लॉग आउट|साइन आउट|ออกจากระบบ|đăng xuất|keluar|サインアウト|ログアウト|로그아웃|退出|登出|注销',
  // Create an account
  'sign up|register|registration|create account|open account|join|registrieren|registriere|konto erstellen|konto anlegen|inscription|inscrire|créer compte|registrarse|registrarme|crear cuenta|registrati|registrarsi|creare account|registar|cadastrar|criar conta|registreren|account aanmaken|registrera|skapa konto|opret konto|opprett konto|rekisteröidy|zarejestruj|załóż konto|zaregistrovat|înregistrare|regisztráció|зарегистрироваться|регистрация|зареєструватися|реєстрація|εγγραφή|kayıt ol|üye ol|إنشاء حساب|تسجيل حساب|הרשמה|להירשם|ثبت نام|रजिस्टर|สมัครสมาชิก|đăng ký|daftar|新規登録|会員登録|회원가입|注册|註冊',
  // Basket
  'basket|cart|shopping bag|trolley|warenkorb|einkaufswagen|panier|carrito|cesta|carrello|carrinho|winkelwagen|winkelmandje|varukorg|kundvagn|kurv|handlekurv|ostoskori|koszyk|košík|coș|kosár|корзина|корзину|кошик|καλάθι|sepet|سلة|عربة|עגלה|סל הקניות|سبد خرید|कार्ट|ตะกร้า|giỏ hàng|keranjang|カート|買い物かご|장바구니|购物车|購物車',
  // Promo code
  'coupon|promo code|promotional code|promotion code|voucher|discount code|gift code|gutschein|gutscheincode|rabattcode|aktionscode|code promo|bon de réduction|code de réduction|coupon|bon d achat|cupón|código descuento|código promocional|vale|codice sconto|codice promozionale|buono|cupom|código de desconto|código promocional|kortingscode|kortingsbon|actiecode|rabattkod|kupong|rabatkode|rabattkode|alennuskoodi|kod rabatowy|kupon|slevový kód|kupón|cod promoțional|kuponkód|промокод|купон|промокод|κουπόνι|κωδικός έκπτωσης|indirim kodu|kupon|قسيمة|كود الخصم|رمز ترويجي|קופון|קוד הנחה|کد تخفیف|कूपन|प्रोमो कोड|คูปอง|โค้ดส่วนลด|mã giảm giá|kode promo|クーポン|割引コード|プロモーションコード|쿠폰|할인 코드|优惠码|优惠券|折扣码|優惠券|優惠碼',
  // Check out
  'check out|checkout|pay now|place order|buy now|zur kasse|kasse|bezahlen|jetzt kaufen|passer commande|caisse|payer|finalizar compra|tramitar pedido|pagar|acquista|cassa|finalizar compra|afrekenen|kassan|betal|maksa|kassa|do kasy|zapłać|k pokladně|zaplatit|finalizează comanda|plată|pénztár|fizetés|оформить заказ|оплатить|оформити замовлення|ταμείο|πληρωμή|ödeme|satın al|الدفع|إتمام الشراء|תשלום|לקופה|پرداخت|चेकआउट|भुगतान|ชำระเงิน|thanh toán|bayar|レジ|購入手続き|결제|结账|付款|結帳',
  // Wish list
  'wish list|wishlist|favourites|favorites|saved items|saved for later|merkliste|merkzettel|wunschliste|favoriten|favoris|liste de souhaits|liste d envies|favoritos|lista de deseos|preferiti|lista dei desideri|lista de desejos|favorieten|verlanglijst|favoriter|önskelista|ønskeliste|suosikit|toivelista|ulubione|lista życzeń|oblíbené|seznam přání|favorite|kedvencek|kívánságlista|избранное|список желаний|обране|αγαπημένα|favoriler|istek listesi|المفضلة|قائمة الرغبات|מועדפים|علاقه مندی|पसंदीदा|รายการโปรด|yêu thích|favorit|お気に入り|ほしい物リスト|찜|위시리스트|收藏|心愿单|願望清單',
  // Orders
  'orders|order history|my orders|purchases|bestellungen|meine bestellungen|commandes|mes commandes|pedidos|mis pedidos|ordini|i miei ordini|encomendas|bestellingen|beställningar|ordrer|bestillinger|tilaukset|zamówienia|objednávky|comenzi|rendelések|заказы|мои заказы|замовлення|παραγγελίες|siparişler|siparişlerim|الطلبات|طلباتي|הזמנות|سفارش ها|सफ़ारिश|ऑर्डर|คำสั่งซื้อ|đơn hàng|pesanan|注文履歴|주문 내역|订单|訂單',
  // Language
  'language|languages|sprache|langue|langues|idioma|lengua|lingua|taal|språk|sprog|kieli|język|jazyk|limba|limbă|nyelv|язык|мова|мову|γλώσσα|dil|dili|اللغة|لغة|שפה|زبان|भाषा|ภาษา|ngôn ngữ|bahasa|言語|언어|语言|語言',
  // Settings
  'settings|preferences|options|einstellungen|paramètres|réglages|préférences|ajustes|configuración|preferencias|impostazioni|preferenze|definições|configurações|instellingen|inställningar|indstillinger|innstillinger|asetukset|ustawienia|nastavení|setări|beállítások|настройки|налаштування|ρυθμίσεις|ayarlar|الإعدادات|הגדרות|تنظیمات|सेटिंग|การตั้งค่า|cài đặt|pengaturan|設定|설정|设置|设定',
  // Account and profile
  'account|my account|profile|konto|mein konto|profil|compte|mon compte|cuenta|mi cuenta|perfil|conto|profilo|conta|tili|účet|cont|fiók|аккаунт|профиль|личный кабинет|обліковий запис|профіль|λογαριασμός|hesap|hesabım|الحساب|حسابي|חשבון|حساب کاربری|खाता|บัญชี|tài khoản|akun|アカウント|マイページ|계정|账户|帳戶|账号',
  // Search
  'search|search box|suche|suchen|suchfeld|recherche|rechercher|buscar|búsqueda|cerca|ricerca|pesquisar|pesquisa|zoeken|zoek|sök|søg|søk|hae|haku|szukaj|wyszukaj|hledat|căutare|caută|keresés|поиск|найти|пошук|αναζήτηση|ara|arama|بحث|חיפוש|جستجو|खोज|ค้นหา|tìm kiếm|cari|検索|검색|搜索|搜尋',
  // Help and contact
  'help|support|contact|contact us|hilfe|kontakt|aide|assistance|contacter|ayuda|contacto|soporte|aiuto|assistenza|contatti|ajuda|contato|contacto|hulp|hjälp|hjælp|hjelp|apua|ohje|yhteystiedot|pomoc|nápověda|ajutor|segítség|kapcsolat|помощь|контакты|поддержка|допомога|контакти|βοήθεια|επικοινωνία|yardım|iletişim|مساعدة|اتصل بنا|עזרה|צור קשר|راهنما|تماس|सहायता|संपर्क|ช่วยเหลือ|ติดต่อ|trợ giúp|liên hệ|bantuan|kontak|ヘルプ|お問い合わせ|도움말|문의|帮助|联系|幫助|聯絡',
  // Password
  'forgot password|forgotten password|reset password|lost password|passwort vergessen|passwort zurücksetzen|mot de passe oublié|réinitialiser mot de passe|olvidé contraseña|restablecer contraseña|contraseña olvidada|password dimenticata|esqueci senha|wachtwoord vergeten|glömt lösenord|glemt adgangskode|glemt passord|unohditko salasanan|nie pamiętam hasła|zapomenuté heslo|parolă uitată|elfelejtett jelszó|забыли пароль|забыл пароль|забули пароль|ξέχασα κωδικό|şifremi unuttum|نسيت كلمة المرور|שכחתי סיסמה|फ़ारगोट पासवर्ड|पासवर्ड भूल|ลืมรหัสผ่าน|quên mật khẩu|lupa kata sandi|パスワードを忘れ|비밀번호 찾기|忘记密码|忘記密碼',
  // Sound
  'sound|volume|audio|ton|klang|lautstärke|son|sonido|volumen|suono|som|geluid|ljud|lyd|ääni|dźwięk|głośność|zvuk|hlasitost|sunet|hang|hangerő|звук|громкость|звук|гучність|ήχος|ses|الصوت|صوت|צליל|صدا|ध्वनि|เสียง|âm thanh|suara|音量|サウンド|소리|声音|音量',
  // Screen
  'display|displays|screen|monitor|resolution|bildschirm|anzeige|auflösung|écran|affichage|résolution|pantalla|resolución|schermo|risoluzione|tela|ecrã|resolução|scherm|skärm|skærm|skjerm|näyttö|ekran|rozdzielczość|obrazovka|rozlišení|ecran|képernyő|экран|разрешение|екран|οθόνη|çözünürlük|الشاشة|الدقة|מסך|صفحه نمایش|स्क्रीन|หน้าจอ|màn hình|layar|画面|ディスプレイ|解像度|화면|해상도|屏幕|显示|分辨率',
  // Network
  'wi fi|wifi|wlan|wireless|drahtlos|funknetz|sans fil|inalámbrica|inalámbrico|sem fio|senza fili|draadloos|trådlöst|trådløst|langaton|bezprzewodowa|bezdrátová|fără fir|vezeték nélküli|беспроводная|бездротова|ασύρματο|kablosuz|لاسلكي|אלחוטי|بی سیم|वाई फ़ाई|ไวไฟ|không dây|nirkabel|無線|ワイヤレス|무선|无线|無線',
  // Users
  'users|user|add user|people|person|benutzer|nutzer|utilisateurs|utilisateur|usuarios|usuario|utenti|utente|usuários|usuário|utilizadores|gebruikers|användare|brugere|brukere|käyttäjät|użytkownicy|użytkownik|uživatelé|uživatel|utilizatori|felhasználók|пользователи|пользователь|користувачі|χρήστες|kullanıcılar|المستخدمون|משתמשים|کاربران|उपयोगकर्ता|ผู้ใช้|người dùng|pengguna|ユーザー|사용자|用户|使用者',
  // Print
  'print|printing|drucken|ausdrucken|imprimer|impression|imprimir|stampa|stampare|afdrukken|skriv ut|udskriv|tulosta|drukuj|drukować|tisk|vytisknout|imprimare|tipărire|nyomtatás|печать|распечатать|друк|εκτύπωση|yazdır|طباعة|הדפסה|چاپ|प्रिंट|พิมพ์|in ấn|cetak|印刷|인쇄|打印|列印',
  // Both sides of the paper
  'two sided|double sided|both sides|duplex|beidseitig|doppelseitig|recto verso|dos caras|doble cara|fronte retro|frente e verso|dubbelzijdig|dubbelsidigt|dobbeltsidet|kaksipuolinen|dwustronny|oboustranný|față verso|kétoldalas|двусторонняя|двобічний|διπλής όψης|çift taraflı|على الوجهين|דו צדדי|両面|양면|双面|雙面',
  // Download and upload
  'download|herunterladen|télécharger|descargar|scarica|scaricare|baixar|transferir|downloaden|ladda ner|hent|last ned|lataa|pobierz|stáhnout|descarcă|letöltés|скачать|загрузить|завантажити|λήψη|indir|تنزيل|تحميل|הורדה|دانلود|डाउनलोड|ดาวน์โหลด|tải xuống|unduh|ダウンロード|다운로드|下载|下載',
  'upload|attach|attachment|hochladen|anhängen|téléverser|joindre|subir|adjuntar|carica|caricare|allega|enviar arquivo|anexar|uploaden|ladda upp|prześlij|załącz|nahrát|încarcă|feltöltés|прикрепить|вложение|прикріпити|μεταφόρτωση|yükle|رفع|إرفاق|העלאה|आपलोड|अपलोड|อัปโหลด|tải lên|unggah|アップロード|添付|업로드|첨부|上传|附件|上傳',
  // Newsletter
  'newsletter|subscribe|abonnieren|infobrief|lettre d information|s abonner|boletín|suscribirse|iscriviti|assinar|nieuwsbrief|nyhetsbrev|nyhedsbrev|uutiskirje|biuletyn|zpravodaj|hírlevél|рассылка|подписаться|розсилка|ενημερωτικό δελτίο|bülten|النشرة|ניוזלטר|خبرنامه|समाचार पत्र|จดหมายข่าว|bản tin|buletin|メルマガ|ニュースレター|뉴스레터|订阅|電子報',
  // Delete
  'delete|remove|löschen|lösche|entfernen|supprimer|supprime|eliminar|elimino|borrar|quitar|elimina|eliminare|rimuovi|excluir|remover|apagar|verwijderen|verwijder|ta bort|radera|slet|fjern|slett|poista|usuń|usunąć|smazat|odstranit|șterge|törlés|удалить|видалити|διαγραφή|sil|حذف|إزالة|מחיקה|हटाएँ|ลบ|xóa|hapus|削除|삭제|删除|刪除',
];

/** Words that ask for a place or a way, by language. The guide points at the page only for such questions. */
const WHERE_OR_HOW: Readonly<Record<string, string>> = {
  en: 'where|wheres|how|show me|take me|bring me|click|button|which menu|which link|which field|find|locate',
  de: 'wo|wohin|wie|zeig|zeige|zeigen|klick|klicken|klicke|knopf|schaltfläche|button|finde|finden',
  fr: 'où|comment|montre|montrez|cliquer|clique|bouton|trouver|trouve',
  es: 'dónde|donde|adónde|cómo|como|muéstrame|clic|botón|encuentro|encontrar',
  it: 'dove|come|mostrami|cliccare|clicco|pulsante|trovo',
  pt: 'onde|aonde|como|mostre|clicar|clico|botão|encontro',
  nl: 'waar|hoe|toon|laat zien|klik|klikken|knop|vind',
  sv: 'var|hur|visa|klicka|klickar|knapp|hittar',
  da: 'hvor|hvordan|vis|klikke|klikker|knap|finder',
  nb: 'hvor|hvordan|vis|klikke|klikker|knapp|finner',
  fi: 'missä|mistä|mihin|miten|kuinka|näytä|painike|löydän',
  pl: 'gdzie|jak|pokaż|kliknąć|przycisk|znajdę|znaleźć',
  cs: 'kde|kam|jak|ukaž|kliknout|tlačítko|najdu',
  ro: 'unde|cum|arată|buton|butonul|găsesc',
  hu: 'hol|hova|hogyan|hogy|mutasd|gomb|találom',
  ru: 'где|куда|как|покажи|покажите|нажать|кнопка|найти',
  uk: 'де|куди|як|покажи|натиснути|кнопка|знайти',
  el: 'πού|που|πώς|πως|δείξε|κουμπί|βρω',
  tr: 'nerede|nereden|nereye|nasıl|göster|düğme|bulabilirim',
  ar: 'أين|اين|كيف|أرني|زر|أجد',
  he: 'איפה|היכן|איך|כיצד|הראה|כפתור|למצוא',
  fa: 'کجا|کجاست|چگونه|چطور|نشان|دکمه',
  hi: 'कहाँ|कहां|कैसे|दिखाओ|बटन',
  bn: 'কোথায়|কীভাবে|কিভাবে|বোতাম',
  id: 'di mana|dimana|bagaimana|gimana|tunjukkan|tombol',
  vi: 'ở đâu|đâu|làm sao|làm thế nào|cách|nút',
};

/** The same in scripts without spaces between words, anywhere in the text. */
const WHERE_OR_HOW_UNSPACED =
  'どこ|どうやって|どうすれば|方法|どのボタン|どう|ボタン|어디|어떻게|버튼|哪里|哪裡|哪儿|在哪|怎么|怎麼|如何|怎样|按钮|按鈕|ที่ไหน|ตรงไหน|อย่างไร|ยังไง|ปุ่ม';

/**
 * Finds the part of the page that a visitor asks for: by its label, by another word for it, or because the quoted answer
 * names it. Only for questions that ask where or how: a shared word alone proves nothing ("Do you save my card?").
 */
export function findTarget(
  { text, replyLocale, page }: Pick<EngineQuestion, 'text' | 'replyLocale' | 'page'>,
  quotes: readonly string[],
): EngineTarget | undefined {
  if (page.targets.length === 0) return undefined;
  const words = readWords(text);
  const askingWords = findAskingWords(words, text, replyLocale);
  if (!askingWords) return undefined;
  const isFunctionWord = recognizeFunctionWords(replyLocale);
  const content = words.filter(
    (word) => !askingWords.includes(word) && !isFunctionWord(word) && !GENERIC_WORDS.has(word),
  );
  const meanings = findMeanings(words, text);
  const query = { text, words, content, meanings, isFunctionWord, answer: quotes.join('\n') };
  return page.targets
    .map((target) => ({ target, score: scoreLabel(target.name, query) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score || b.target.confidence - a.target.confidence)[0]?.target;
}

const LABEL_WORDS_MAX = 6;
const SCORE_MIN = 1;
/** The label and a phrase of the question have the same meaning. */
const MEANING_SCORE = 1.2;
/** The question contains the whole label. */
const LABEL_SCORE = 1.1;
/** The quoted answer tells the visitor to use the label. */
const QUOTED_SCORE = 1;
/** Added in proportion to the words of the label that the question has too. */
const SHARED_WORD_SCORE = 0.3;
/** Maximum content words besides a one-word label; a question with more of them is about something else. */
const OTHER_WORDS_MAX = 1;

type TargetQuery = {
  readonly text: string;
  readonly words: readonly string[];
  /** The question's words without asking, function and generic words. */
  readonly content: readonly string[];
  readonly meanings: ReadonlySet<number>;
  readonly isFunctionWord: (word: string) => boolean;
  readonly answer: string;
};

function scoreLabel(label: string, query: TargetQuery): number {
  const { text, words, content, meanings, isFunctionWord, answer } = query;
  const labelWords = readWords(label);
  if (labelWords.length === 0 || labelWords.length > LABEL_WORDS_MAX) return 0;
  const ownWords = labelWords.filter((word) => !isFunctionWord(word));
  const shared = ownWords.filter((word) => words.some((other) => isSameWord(other, word)));
  const isWritten = hasUnspacedLetters(label) && text.includes(label.trim());
  const isWhole = isWritten || (ownWords.length > 0 && shared.length === ownWords.length);
  const sharedMeanings = [...findMeanings(labelWords, label)].filter((meaning) => meanings.has(meaning));
  const quotedScore = isInstruction(answer, label, shared.length > 0) ? QUOTED_SCORE : 0;
  const labelScore = sharedMeanings.length > 0 ? MEANING_SCORE : isWhole ? LABEL_SCORE : 0;
  const relatedWords = [
    ...ownWords,
    ...sharedMeanings.flatMap((meaning) => MEANINGS[meaning]!.flatMap((phrase) => phrase.words)),
  ];
  const others = content.filter((word) => !relatedWords.some((other) => isSameWord(other, word)));
  const isAboutElse = ownWords.length === 1 && others.length > OTHER_WORDS_MAX && !hasUnspacedLetters(text);
  if (labelScore > 0 && quotedScore === 0 && isAboutElse) return 0;
  const share = isWhole ? 1 : shared.length / (ownWords.length || 1);
  const bothScore = labelScore > 0 && quotedScore > 0 ? QUOTED_SCORE / 2 : 0;
  return Math.max(labelScore, quotedScore) + bothScore + SHARED_WORD_SCORE * share;
}

/** Returns the words with which the text asks where or how; undefined if it does not ask that. */
function findAskingWords(
  words: readonly string[],
  text: string,
  locale: string,
): readonly string[] | undefined {
  if (hasUnspacedLetters(text) && WHERE_OR_HOW_UNSPACED.split('|').some((phrase) => text.includes(phrase)))
    return [];
  const language = getLanguage(locale);
  const phrases = WHERE_OR_HOW_PHRASES.get(language) ?? WHERE_OR_HOW_PHRASES.get('en')!;
  return phrases.find((phrase) => phrase.every((word) => words.includes(word)));
}

/** Returns the words in lower case, Latin and Greek ones without accents. */
function readWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[\p{sc=Latn}\p{sc=Grek}])\p{M}+/gu, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
}

const WHERE_OR_HOW_PHRASES = new Map(
  Object.entries(WHERE_OR_HOW).map(([language, phrases]) => [language, phrases.split('|').map(readWords)]),
);
const MEANINGS = PAGE_MEANINGS.map((line, meaning) =>
  line.split('|').map((phrase) => ({ meaning, text: phrase, words: readWords(phrase) })),
);

const readFunctionWords = memoize(
  (language: string): ReadonlySet<string> => new Set(listFunctionWords(language).flatMap(readWords)),
  identity,
);

/** Looks words up in the visitor's language and in English, in which many pages have their labels. */
function recognizeFunctionWords(locale: string): (word: string) => boolean {
  const lists = [getLanguage(locale), 'en'].map(readFunctionWords);
  return (word) => lists.some((words) => words.has(word));
}

/** Words that fit any part of a page, so they identify none. */
const GENERIC_WORDS = new Set(
  readWords(
    'where how which what find see show open click press use change set choose pick select enter type put go get start turn switch look add manage view need want ' +
      'button link menu page field box wo wie welche finde sehe öffne klicke drücke ändere ändern stelle einstellen ein gebe eingeben wähle ' +
      'où comment trouver voir ouvrir cliquer changer régler choisir entrer saisir dónde cómo encuentro ver abrir cambiar cambio escribo poner pongo elegir ' +
      'dove come trovo vedere aprire cambiare onde como ver abrir mudar waar hoe vind zie open wijzig',
  ),
);

const STEM_CHARS_MIN = 4;
const ENDING_CHARS_MAX = 3;

/** Whether the words are the same, or one may be an inflected form of the other. */
function isSameWord(a: string, b: string): boolean {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const stem = short.length > STEM_CHARS_MIN ? short.slice(0, -1) : short;
  return (
    short.length >= STEM_CHARS_MIN && long.length - short.length <= ENDING_CHARS_MAX && long.startsWith(stem)
  );
}

/** Returns the index key of a word: words that may be the same begin alike. */
const getStart = (word: string) => word.slice(0, STEM_CHARS_MIN);

const PHRASES = MEANINGS.flat();
const UNSPACED_PHRASES = PHRASES.filter(({ text }) => hasUnspacedLetters(text));
/** Looked up by the first word: comparing all phrases with every label takes milliseconds. */
const SPACED_PHRASES = Map.groupBy(
  PHRASES.filter(({ text, words }) => words.length > 0 && !hasUnspacedLetters(text)),
  ({ words }) => getStart(words[0]!),
);

function findMeanings(words: readonly string[], text: string): ReadonlySet<number> {
  const candidates = [...new Set(words.map(getStart))].flatMap((start) => SPACED_PHRASES.get(start) ?? []);
  const spaced = candidates.filter((phrase) =>
    phrase.words.every((word) => words.some((other) => isSameWord(other, word))),
  );
  const unspaced = hasUnspacedLetters(text)
    ? UNSPACED_PHRASES.filter((phrase) => text.includes(phrase.text))
    : [];
  return new Set([...spaced, ...unspaced].map(({ meaning }) => meaning));
}

/**
 * Whether the answer names the label as something to use: emphasized or in quotation marks, or written as on the page. A single
 * word also needs a capital letter inside a sentence, unless the question has the word too.
 */
function isInstruction(answer: string, label: string, isAskedFor: boolean): boolean {
  const name = label.trim();
  for (let at = answer.indexOf(name); at >= 0; at = answer.indexOf(name, at + 1)) {
    const before = answer.slice(Math.max(0, at - 2), at);
    const after = answer.slice(at + name.length, at + name.length + 1);
    if (!hasUnspacedLetters(name) && (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after)))
      continue;
    if (/["“„«»‘'`*_「『]$/u.test(before)) return true;
    const isInSentence = !/(?:^|[.!?:\n]\s?)$/u.test(before);
    if (isInSentence && (/\s/.test(name) || /^\p{Lu}/u.test(name) || isAskedFor)) return true;
  }
  return false;
}
