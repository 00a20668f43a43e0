import { hash } from 'node:crypto';
import { canonicalJson } from '../hash-chain.ts';

/** The texts of the consent prompt in one language. */
type CopyText = {
  readonly title: string;
  /** The meaning of accepting and refusing; shown with both buttons. */
  readonly text: string;
  readonly accept: string;
  readonly deny: string;
  /** Shown where a Global Privacy Control signal was honoured. */
  readonly gpcNotice: string;
  /** Shown under `opt_out` and `notice`, beside a way to refuse. */
  readonly notice: string;
};

/** The consent copy by locale. */
export const copyTexts = {
  en: {
    title: 'May the guide remember you?',
    text: 'You can chat whether or not you agree. If you agree, we recognise you on your next visit, keep your conversations, measure how the guide is used, and may use an image of this page and your voice input to help you. If you decline, your conversation is deleted within 24 hours. You can change your choice at any time.',
    accept: 'Agree',
    deny: 'Decline',
    gpcNotice: 'Your browser sent a Global Privacy Control signal. We have honoured it as an opt-out.',
    notice:
      'The guide recognises you on your next visit, keeps your conversations and measures how it is used. You can decline at any time.',
  },
  ar: {
    title: 'هل تسمح للمرشد بأن يتذكرك؟',
    text: 'يمكنك الدردشة سواء وافقت أم لم توافق. إذا وافقت، فسنتعرّف عليك في زيارتك القادمة، ونحتفظ بمحادثاتك، ونقيس كيفية استخدام المرشد، وقد نستخدم صورة لهذه الصفحة ومدخلاتك الصوتية لمساعدتك. وإذا رفضت، فستُحذف محادثتك خلال 24 ساعة. يمكنك تغيير اختيارك في أي وقت.',
    accept: 'موافقة',
    deny: 'رفض',
    gpcNotice: 'أرسل متصفحك إشارة «التحكم العالمي في الخصوصية» (GPC)، وقد التزمنا بها واعتبرناها رفضًا.',
    notice:
      'يتعرّف عليك المرشد في زيارتك القادمة، ويحتفظ بمحادثاتك، ويقيس كيفية استخدامه. يمكنك الرفض في أي وقت.',
  },
  cs: {
    title: 'Smí si vás průvodce pamatovat?',
    text: 'Chatovat můžete, ať souhlasíte, nebo ne. Pokud souhlasíte, poznáme vás při příští návštěvě, uchováme vaše konverzace, budeme měřit používání průvodce a můžeme použít obrázek této stránky a váš hlasový vstup, abychom vám pomohli. Pokud odmítnete, bude vaše konverzace do 24 hodin smazána. Svou volbu můžete kdykoli změnit.',
    accept: 'Souhlasím',
    deny: 'Odmítám',
    gpcNotice: 'Váš prohlížeč odeslal signál Global Privacy Control. Považujeme jej za odmítnutí.',
    notice:
      'Průvodce vás při příští návštěvě pozná, uchovává vaše konverzace a měří své používání. Kdykoli můžete odmítnout.',
  },
  da: {
    title: 'Må guiden huske dig?',
    text: 'Du kan chatte, uanset om du accepterer eller ej. Hvis du accepterer, genkender vi dig ved dit næste besøg, gemmer dine samtaler, måler, hvordan guiden bruges, og kan bruge et billede af denne side og din tale for at hjælpe dig. Hvis du afslår, slettes din samtale inden for 24 timer. Du kan til enhver tid ændre dit valg.',
    accept: 'Acceptér',
    deny: 'Afslå',
    gpcNotice: 'Din browser sendte et Global Privacy Control-signal. Vi har behandlet det som et afslag.',
    notice:
      'Guiden genkender dig ved dit næste besøg, gemmer dine samtaler og måler, hvordan den bruges. Du kan til enhver tid afslå.',
  },
  de: {
    title: 'Darf sich der Assistent an Sie erinnern?',
    text: 'Sie können chatten, ob Sie zustimmen oder nicht. Wenn Sie zustimmen, erkennen wir Sie beim nächsten Besuch wieder, bewahren Ihre Unterhaltungen auf, messen die Nutzung des Assistenten und verwenden gegebenenfalls ein Bild dieser Seite und Ihre Spracheingabe, um Ihnen zu helfen. Wenn Sie ablehnen, wird Ihre Unterhaltung innerhalb von 24 Stunden gelöscht. Sie können Ihre Entscheidung jederzeit ändern.',
    accept: 'Zustimmen',
    deny: 'Ablehnen',
    gpcNotice:
      'Ihr Browser hat ein Signal der Global Privacy Control gesendet. Wir haben es als Ablehnung gewertet.',
    notice:
      'Der Assistent erkennt Sie beim nächsten Besuch wieder, bewahrt Ihre Unterhaltungen auf und misst seine Nutzung. Sie können jederzeit ablehnen.',
  },
  el: {
    title: 'Μπορεί ο οδηγός να σας θυμάται;',
    text: 'Μπορείτε να συνομιλήσετε είτε συμφωνείτε είτε όχι. Αν συμφωνήσετε, σας αναγνωρίζουμε στην επόμενη επίσκεψή σας, διατηρούμε τις συνομιλίες σας, μετράμε τη χρήση του οδηγού και ενδέχεται να χρησιμοποιήσουμε μια εικόνα αυτής της σελίδας και τη φωνητική σας εισαγωγή για να σας βοηθήσουμε. Αν αρνηθείτε, η συνομιλία σας διαγράφεται εντός 24 ωρών. Μπορείτε να αλλάξετε την επιλογή σας ανά πάσα στιγμή.',
    accept: 'Συμφωνώ',
    deny: 'Αρνούμαι',
    gpcNotice: 'Το πρόγραμμα περιήγησής σας έστειλε σήμα Global Privacy Control. Το θεωρήσαμε άρνηση.',
    notice:
      'Ο οδηγός σας αναγνωρίζει στην επόμενη επίσκεψή σας, διατηρεί τις συνομιλίες σας και μετρά τη χρήση του. Μπορείτε να αρνηθείτε ανά πάσα στιγμή.',
  },
  es: {
    title: '¿Puede la guía recordarle?',
    text: 'Puede chatear tanto si acepta como si no. Si acepta, le reconoceremos en su próxima visita, conservaremos sus conversaciones, mediremos el uso de la guía y podremos usar una imagen de esta página y su voz para ayudarle. Si rechaza, su conversación se eliminará en un plazo de 24 horas. Puede cambiar su elección en cualquier momento.',
    accept: 'Aceptar',
    deny: 'Rechazar',
    gpcNotice:
      'Su navegador ha enviado una señal de Global Privacy Control. La hemos tratado como un rechazo.',
    notice:
      'La guía le reconoce en su próxima visita, conserva sus conversaciones y mide su propio uso. Puede negarse en cualquier momento.',
  },
  fa: {
    title: 'آیا راهنما می‌تواند شما را به خاطر بسپارد؟',
    text: 'چه موافقت کنید چه نکنید، می‌توانید گفت‌وگو کنید. اگر موافقت کنید، در بازدید بعدی شما را می‌شناسیم، گفت‌وگوهایتان را نگه می‌داریم، نحوهٔ استفاده از راهنما را می‌سنجیم و ممکن است برای کمک به شما از تصویر این صفحه و ورودی صوتی شما استفاده کنیم. اگر نپذیرید، گفت‌وگوی شما ظرف ۲۴ ساعت حذف می‌شود. هر زمان که بخواهید می‌توانید انتخاب خود را تغییر دهید.',
    accept: 'می‌پذیرم',
    deny: 'نمی‌پذیرم',
    gpcNotice:
      'مرورگر شما سیگنال کنترل جهانی حریم خصوصی (GPC) فرستاد. ما آن را به‌عنوان عدم پذیرش رعایت کرده‌ایم.',
    notice:
      'راهنما در بازدید بعدی شما را می‌شناسد، گفت‌وگوهایتان را نگه می‌دارد و نحوهٔ استفاده را می‌سنجد. هر زمان که بخواهید می‌توانید آن را رد کنید.',
  },
  fi: {
    title: 'Saako opas muistaa sinut?',
    text: 'Voit keskustella, hyväksyitpä tai et. Jos hyväksyt, tunnistamme sinut seuraavalla käynnilläsi, säilytämme keskustelusi, mittaamme oppaan käyttöä ja voimme käyttää kuvaa tästä sivusta ja puhesyötettäsi auttaaksemme sinua. Jos kieltäydyt, keskustelusi poistetaan 24 tunnin kuluessa. Voit muuttaa valintaasi milloin tahansa.',
    accept: 'Hyväksy',
    deny: 'Kieltäydy',
    gpcNotice: 'Selaimesi lähetti Global Privacy Control -signaalin. Tulkitsimme sen kieltäytymiseksi.',
    notice:
      'Opas tunnistaa sinut seuraavalla käynnilläsi, säilyttää keskustelusi ja mittaa käyttöään. Voit kieltäytyä milloin tahansa.',
  },
  fr: {
    title: 'Le guide peut-il se souvenir de vous ?',
    text: 'Vous pouvez discuter, que vous acceptiez ou non. Si vous acceptez, nous vous reconnaissons lors de votre prochaine visite, conservons vos conversations, mesurons l’utilisation du guide et pouvons utiliser une image de cette page et votre saisie vocale pour vous aider. Si vous refusez, votre conversation est supprimée dans les 24 heures. Vous pouvez modifier votre choix à tout moment.',
    accept: 'Accepter',
    deny: 'Refuser',
    gpcNotice:
      'Votre navigateur a envoyé un signal Global Privacy Control. Nous l’avons traité comme un refus.',
    notice:
      'Le guide vous reconnaît lors de votre prochaine visite, conserve vos conversations et mesure son utilisation. Vous pouvez refuser à tout moment.',
  },
  he: {
    title: 'האם המדריך רשאי לזכור אותך?',
    text: 'אפשר לשוחח גם בלי להסכים. בהסכמתך נזהה אותך בביקור הבא, נשמור את השיחות שלך, נמדוד את השימוש במדריך, וייתכן שנשתמש בתמונה של הדף הזה ובקלט הקולי שלך כדי לעזור לך. אם תבחרו לסרב, השיחה תימחק בתוך 24 שעות. אפשר לשנות את הבחירה בכל עת.',
    accept: 'הסכמה',
    deny: 'סירוב',
    gpcNotice: 'הדפדפן שלך שלח אות Global Privacy Control. כיבדנו אותו כסירוב.',
    notice: 'המדריך מזהה אותך בביקור הבא, שומר את השיחות שלך ומודד את השימוש בו. אפשר לסרב בכל עת.',
  },
  hi: {
    title: 'क्या गाइड आपको याद रख सकता है?',
    text: 'आप सहमत हों या न हों, चैट कर सकते हैं। सहमत होने पर हम आपकी अगली विज़िट पर आपको पहचानेंगे, आपकी बातचीत सहेजेंगे, गाइड के उपयोग को मापेंगे, और आपकी सहायता के लिए इस पेज की छवि तथा आपके वॉइस इनपुट का उपयोग कर सकते हैं। अस्वीकार करने पर आपकी बातचीत 24 घंटे के भीतर हटा दी जाएगी। आप अपना विकल्प कभी भी बदल सकते हैं।',
    accept: 'सहमत हूँ',
    deny: 'अस्वीकार करें',
    gpcNotice: 'आपके ब्राउज़र ने Global Privacy Control संकेत भेजा है। हमने इसे आपकी असहमति मानकर इसका पालन किया है।',
    notice:
      'गाइड आपकी अगली विज़िट पर आपको पहचानता है, आपकी बातचीत सहेजता है और अपने उपयोग को मापता है। आप कभी भी अस्वीकार कर सकते हैं।',
  },
  hu: {
    title: 'Emlékezhet Önre az asszisztens?',
    text: 'Akkor is cseveghet, ha nem járul hozzá. Ha hozzájárul, a következő látogatásakor felismerjük, megőrizzük a beszélgetéseit, mérjük az asszisztens használatát, és a segítségnyújtáshoz felhasználhatjuk az oldal képét és a hangbevitelét. Ha elutasítja, a beszélgetését 24 órán belül töröljük. A döntését bármikor megváltoztathatja.',
    accept: 'Hozzájárulok',
    deny: 'Elutasítom',
    gpcNotice: 'A böngészője Global Privacy Control jelzést küldött. Ezt elutasításnak tekintettük.',
    notice:
      'Az asszisztens a következő látogatásakor felismeri Önt, megőrzi a beszélgetéseit, és méri a használatát. Bármikor elutasíthatja.',
  },
  it: {
    title: 'La guida può ricordarsi di lei?',
    text: 'Può chattare sia che accetti sia che rifiuti. Se accetta, la riconosceremo alla prossima visita, conserveremo le sue conversazioni, misureremo l’uso della guida e potremo usare un’immagine di questa pagina e la sua voce per aiutarla. Se rifiuta, la conversazione sarà eliminata entro 24 ore. Può cambiare la sua scelta in qualsiasi momento.',
    accept: 'Accetta',
    deny: 'Rifiuta',
    gpcNotice:
      'Il suo browser ha inviato un segnale Global Privacy Control. Lo abbiamo trattato come un rifiuto.',
    notice:
      'La guida la riconosce alla prossima visita, conserva le sue conversazioni e misura il proprio uso. Può rifiutare in qualsiasi momento.',
  },
  ja: {
    title: 'ガイドがお客様の情報を記憶してもよろしいですか？',
    text: '同意の有無にかかわらず、チャットをご利用いただけます。同意いただいた場合、次回のご訪問時にお客様を認識し、会話を保存し、ガイドの利用状況を計測します。また、お手伝いのためにこのページの画像や音声入力を使用することがあります。拒否された場合、会話は 24 時間以内に削除されます。選択はいつでも変更できます。',
    accept: '同意する',
    deny: '拒否する',
    gpcNotice:
      'お使いのブラウザーから Global Privacy Control の信号を受け取りました。拒否の意思表示として尊重しています。',
    notice:
      'ガイドは次回のご訪問時にお客様を認識し、会話を保存し、利用状況を計測します。いつでも拒否できます。',
  },
  ko: {
    title: '가이드가 회원님을 기억해도 될까요?',
    text: '동의하지 않아도 채팅할 수 있습니다. 동의하시면 다음 방문 때 회원님을 알아보고, 대화를 보관하고, 가이드 이용 현황을 측정하며, 도움을 드리기 위해 이 페이지의 이미지와 음성 입력을 사용할 수 있습니다. 거부하시면 대화는 24시간 이내에 삭제됩니다. 선택은 언제든지 바꿀 수 있습니다.',
    accept: '동의',
    deny: '거부',
    gpcNotice: '브라우저가 Global Privacy Control 신호를 보냈습니다. 이를 거부 의사로 처리했습니다.',
    notice:
      '가이드는 다음 방문 때 회원님을 알아보고, 대화를 보관하며, 이용 현황을 측정합니다. 언제든지 거부할 수 있습니다.',
  },
  nb: {
    title: 'Kan guiden huske deg?',
    text: 'Du kan chatte enten du samtykker eller ikke. Hvis du samtykker, kjenner vi deg igjen ved neste besøk, tar vare på samtalene dine, måler hvordan guiden brukes, og kan bruke et bilde av denne siden og stemmen din for å hjelpe deg. Hvis du avslår, slettes samtalen din innen 24 timer. Du kan når som helst endre valget ditt.',
    accept: 'Samtykk',
    deny: 'Avslå',
    gpcNotice: 'Nettleseren din sendte et Global Privacy Control-signal. Vi har behandlet det som et avslag.',
    notice:
      'Guiden kjenner deg igjen ved neste besøk, tar vare på samtalene dine og måler hvordan den brukes. Du kan når som helst avslå.',
  },
  nl: {
    title: 'Mag de gids u onthouden?',
    text: 'U kunt chatten, of u nu akkoord gaat of niet. Als u akkoord gaat, herkennen we u bij uw volgende bezoek, bewaren we uw gesprekken, meten we hoe de gids wordt gebruikt en kunnen we een afbeelding van deze pagina en uw spraakinvoer gebruiken om u te helpen. Als u weigert, wordt uw gesprek binnen 24 uur verwijderd. U kunt uw keuze op elk moment wijzigen.',
    accept: 'Akkoord',
    deny: 'Weigeren',
    gpcNotice:
      'Uw browser heeft een Global Privacy Control-signaal verzonden. We hebben dit als weigering behandeld.',
    notice:
      'De gids herkent u bij uw volgende bezoek, bewaart uw gesprekken en meet hoe hij wordt gebruikt. U kunt op elk moment weigeren.',
  },
  pl: {
    title: 'Czy przewodnik może Cię zapamiętać?',
    text: 'Możesz rozmawiać niezależnie od tego, czy wyrazisz zgodę. Jeśli się zgodzisz, rozpoznamy Cię przy następnej wizycie, zachowamy Twoje rozmowy, będziemy mierzyć korzystanie z przewodnika i możemy użyć obrazu tej strony oraz Twojej wypowiedzi głosowej, aby Ci pomóc. Jeśli odmówisz, Twoja rozmowa zostanie usunięta w ciągu 24 godzin. Swój wybór możesz zmienić w każdej chwili.',
    accept: 'Zgadzam się',
    deny: 'Odmawiam',
    gpcNotice: 'Twoja przeglądarka wysłała sygnał Global Privacy Control. Uznaliśmy go za odmowę.',
    notice:
      'Przewodnik rozpoznaje Cię przy następnej wizycie, zachowuje Twoje rozmowy i mierzy, jak się z niego korzysta. W każdej chwili możesz odmówić.',
  },
  'pt-BR': {
    title: 'O guia pode se lembrar de você?',
    text: 'Você pode conversar aceitando ou não. Se aceitar, reconheceremos você na próxima visita, guardaremos suas conversas, mediremos o uso do guia e poderemos usar uma imagem desta página e sua entrada de voz para ajudar você. Se recusar, sua conversa será excluída em até 24 horas. Você pode mudar sua escolha a qualquer momento.',
    accept: 'Aceitar',
    deny: 'Recusar',
    gpcNotice: 'Seu navegador enviou um sinal de Global Privacy Control. Nós o tratamos como uma recusa.',
    notice:
      'O guia reconhece você na próxima visita, guarda suas conversas e mede o próprio uso. Você pode recusar a qualquer momento.',
  },
  'pt-PT': {
    title: 'O guia pode lembrar-se de si?',
    text: 'Pode conversar quer aceite quer não. Se aceitar, reconhecê-lo-emos na próxima visita, guardaremos as suas conversas, mediremos a utilização do guia e poderemos usar uma imagem desta página e a sua entrada de voz para o ajudar. Se recusar, a sua conversa será eliminada no prazo de 24 horas. Pode alterar a sua escolha em qualquer momento.',
    accept: 'Aceitar',
    deny: 'Recusar',
    gpcNotice: 'O seu navegador enviou um sinal de Global Privacy Control. Tratámo-lo como uma recusa.',
    notice:
      'O guia reconhece-o na próxima visita, guarda as suas conversas e mede a própria utilização. Pode recusar em qualquer momento.',
  },
  ro: {
    title: 'Poate ghidul să vă țină minte?',
    text: 'Puteți discuta indiferent dacă sunteți sau nu de acord. Dacă sunteți de acord, vă recunoaștem la următoarea vizită, vă păstrăm conversațiile, măsurăm modul în care este folosit ghidul și putem folosi o imagine a acestei pagini și mesajele dumneavoastră vocale pentru a vă ajuta. Dacă refuzați, conversația dumneavoastră este ștearsă în cel mult 24 de ore. Vă puteți schimba alegerea oricând.',
    accept: 'De acord',
    deny: 'Refuz',
    gpcNotice:
      'Browserul dumneavoastră a trimis un semnal Global Privacy Control. L-am tratat ca pe un refuz.',
    notice:
      'Ghidul vă recunoaște la următoarea vizită, vă păstrează conversațiile și măsoară modul în care este folosit. Puteți refuza oricând.',
  },
  ru: {
    title: 'Можно ли помощнику запомнить вас?',
    text: 'Вы можете общаться независимо от того, согласны вы или нет. Если вы согласитесь, мы узнаем вас при следующем посещении, сохраним ваши беседы, будем измерять использование помощника и сможем использовать изображение этой страницы и ваш голосовой ввод, чтобы помочь вам. Если вы откажетесь, ваша беседа будет удалена в течение 24 часов. Вы можете изменить свой выбор в любое время.',
    accept: 'Согласиться',
    deny: 'Отказаться',
    gpcNotice: 'Ваш браузер отправил сигнал Global Privacy Control. Мы учли его как отказ.',
    notice:
      'Помощник узнаёт вас при следующем посещении, хранит ваши беседы и измеряет, как им пользуются. Вы можете отказаться в любое время.',
  },
  sv: {
    title: 'Får guiden komma ihåg dig?',
    text: 'Du kan chatta oavsett om du samtycker eller inte. Om du samtycker känner vi igen dig vid nästa besök, sparar dina samtal, mäter hur guiden används och kan använda en bild av den här sidan och din röstinmatning för att hjälpa dig. Om du avböjer raderas ditt samtal inom 24 timmar. Du kan ändra ditt val när som helst.',
    accept: 'Samtyck',
    deny: 'Avböj',
    gpcNotice: 'Din webbläsare skickade en Global Privacy Control-signal. Vi har behandlat den som ett nej.',
    notice:
      'Guiden känner igen dig vid nästa besök, sparar dina samtal och mäter hur den används. Du kan avböja när som helst.',
  },
  th: {
    title: 'ให้ไกด์จดจำคุณได้หรือไม่',
    text: 'คุณสนทนาได้ไม่ว่าจะยินยอมหรือไม่ก็ตาม หากยินยอม เราจะจดจำคุณได้เมื่อคุณกลับมาครั้งต่อไป เก็บบทสนทนาของคุณ วัดการใช้งานไกด์ และอาจใช้ภาพของหน้านี้และเสียงพูดที่คุณป้อนเพื่อช่วยเหลือคุณ หากปฏิเสธ บทสนทนาของคุณจะถูกลบภายใน 24 ชั่วโมง คุณเปลี่ยนตัวเลือกได้ทุกเมื่อ',
    accept: 'ยินยอม',
    deny: 'ปฏิเสธ',
    gpcNotice: 'เบราว์เซอร์ของคุณส่งสัญญาณ Global Privacy Control มา เราเคารพสัญญาณนี้โดยถือเป็นการปฏิเสธ',
    notice: 'ไกด์จะจดจำคุณได้เมื่อคุณกลับมาครั้งต่อไป เก็บบทสนทนาของคุณ และวัดการใช้งาน คุณปฏิเสธได้ทุกเมื่อ',
  },
  tr: {
    title: 'Rehber sizi hatırlayabilir mi?',
    text: 'Kabul etseniz de etmeseniz de sohbet edebilirsiniz. Kabul ederseniz bir sonraki ziyaretinizde sizi tanırız, görüşmelerinizi saklarız, rehberin kullanımını ölçeriz ve size yardımcı olmak için bu sayfanın görüntüsünü ve sesli girişinizi kullanabiliriz. Reddederseniz görüşmeniz 24 saat içinde silinir. Seçiminizi istediğiniz zaman değiştirebilirsiniz.',
    accept: 'Kabul et',
    deny: 'Reddet',
    gpcNotice:
      'Tarayıcınız bir Global Privacy Control sinyali gönderdi. Bunu ret olarak kabul edip uyguladık.',
    notice:
      'Rehber bir sonraki ziyaretinizde sizi tanır, görüşmelerinizi saklar ve kullanımını ölçer. İstediğiniz zaman reddedebilirsiniz.',
  },
  uk: {
    title: 'Чи може помічник запам’ятати вас?',
    text: 'Ви можете спілкуватися незалежно від того, чи погодитеся. Якщо ви погодитеся, ми впізнаємо вас під час наступного відвідування, збережемо ваші розмови, вимірюватимемо використання помічника та зможемо використати зображення цієї сторінки й ваше голосове введення, щоб допомогти вам. Якщо ви відмовитеся, вашу розмову буде видалено протягом 24 годин. Ви можете змінити свій вибір будь-коли.',
    accept: 'Погодитися',
    deny: 'Відмовитися',
    gpcNotice: 'Ваш браузер надіслав сигнал Global Privacy Control. Ми врахували його як відмову.',
    notice:
      'Помічник впізнає вас під час наступного відвідування, зберігає ваші розмови та вимірює, як ним користуються. Ви можете відмовитися будь-коли.',
  },
  vi: {
    title: 'Trợ lý có thể ghi nhớ bạn không?',
    text: 'Bạn có thể trò chuyện dù đồng ý hay không. Nếu bạn đồng ý, chúng tôi sẽ nhận ra bạn ở lần truy cập sau, lưu giữ các cuộc trò chuyện, đo lường cách sử dụng trợ lý, và có thể dùng hình ảnh của trang này cùng giọng nói bạn nhập để giúp bạn. Nếu bạn từ chối, cuộc trò chuyện sẽ bị xóa trong vòng 24 giờ. Bạn có thể thay đổi lựa chọn bất cứ lúc nào.',
    accept: 'Đồng ý',
    deny: 'Từ chối',
    gpcNotice:
      'Trình duyệt của bạn đã gửi tín hiệu Global Privacy Control. Chúng tôi đã coi tín hiệu này là lời từ chối.',
    notice:
      'Trợ lý nhận ra bạn ở lần truy cập sau, lưu giữ các cuộc trò chuyện và đo lường cách sử dụng. Bạn có thể từ chối bất cứ lúc nào.',
  },
  'zh-CN': {
    title: '是否允许向导记住您？',
    text: '无论您是否同意，都可以聊天。如果您同意，我们会在您下次访问时识别您、保留您的对话、统计向导的使用情况，并可能使用此页面的图像和您的语音输入来帮助您。如果您拒绝，您的对话将在 24 小时内删除。您可以随时更改选择。',
    accept: '同意',
    deny: '拒绝',
    gpcNotice: '您的浏览器发送了全球隐私控制（GPC）信号。我们已将其视为拒绝并予以遵守。',
    notice: '向导会在您下次访问时识别您、保留您的对话并统计使用情况。您可以随时拒绝。',
  },
  'zh-TW': {
    title: '是否允許嚮導記住您？',
    text: '無論您是否同意，都可以聊天。如果您同意，我們會在您下次造訪時辨識您、保留您的對話、統計嚮導的使用情況，並可能使用此頁面的影像和您的語音輸入來協助您。如果您拒絕，您的對話將在 24 小時內刪除。您可以隨時變更選擇。',
    accept: '同意',
    deny: '拒絕',
    gpcNotice: '您的瀏覽器傳送了全球隱私控制（GPC）訊號。我們已將其視為拒絕並予以遵守。',
    notice: '嚮導會在您下次造訪時辨識您、保留您的對話並統計使用情況。您可以隨時拒絕。',
  },
} as const satisfies { readonly [locale: string]: CopyText };

/**
 * The AI disclosure by locale. Each says that the guide is an AI, that it may be wrong, and who processes the
 * messages.
 */
export const disclosureTexts = {
  en: "You are chatting with an AI assistant, not a person. Its answers can be wrong, so please check anything important. Your messages are processed by this website's service provider in order to answer you.",
  ar: 'أنت تتحدث مع مساعد يعمل بالذكاء الاصطناعي، وليس مع إنسان. قد تكون إجاباته خاطئة، لذا يُرجى التحقق من كل ما هو مهم. تُعالَج رسائلك لدى مزوّد الخدمة لهذا الموقع من أجل الرد عليك.',
  cs: 'Píšete si s asistentem s umělou inteligencí, ne s člověkem. Jeho odpovědi mohou být chybné, důležité informace si proto ověřte. Vaše zprávy zpracovává poskytovatel služeb tohoto webu, aby vám mohl odpovědět.',
  da: 'Du chatter med en AI-assistent, ikke med et menneske. Svarene kan være forkerte, så kontrollér det, der er vigtigt. Dine beskeder behandles af dette websteds tjenesteudbyder for at kunne svare dig.',
  de: 'Sie chatten mit einem KI-Assistenten, nicht mit einem Menschen. Seine Antworten können falsch sein; bitte prüfen Sie Wichtiges nach. Ihre Nachrichten werden vom Dienstleister dieser Website verarbeitet, um Ihnen zu antworten.',
  el: 'Συνομιλείτε με έναν βοηθό τεχνητής νοημοσύνης και όχι με άνθρωπο. Οι απαντήσεις του μπορεί να είναι λανθασμένες, γι’ αυτό ελέγχετε ό,τι είναι σημαντικό. Τα μηνύματά σας υποβάλλονται σε επεξεργασία από τον πάροχο υπηρεσιών αυτού του ιστότοπου, ώστε να σας δοθεί απάντηση.',
  es: 'Está chateando con un asistente de inteligencia artificial, no con una persona. Sus respuestas pueden ser erróneas, así que compruebe todo lo importante. El proveedor de servicios de este sitio web procesa sus mensajes para poder responderle.',
  fa: 'شما با یک دستیار هوش مصنوعی گفت‌وگو می‌کنید، نه با یک انسان. پاسخ‌های آن ممکن است نادرست باشد؛ لطفاً موارد مهم را بررسی کنید. پیام‌های شما را ارائه‌دهندهٔ خدمات این وب‌سایت برای پاسخ دادن به شما پردازش می‌کند.',
  fi: 'Keskustelet tekoälyavustajan kanssa, et ihmisen kanssa. Sen vastaukset voivat olla virheellisiä, joten tarkista tärkeät asiat. Tämän sivuston palveluntarjoaja käsittelee viestisi, jotta sinulle voidaan vastata.',
  fr: 'Vous discutez avec un assistant d’intelligence artificielle, pas avec une personne. Ses réponses peuvent être erronées : vérifiez tout ce qui est important. Vos messages sont traités par le prestataire de ce site web afin de vous répondre.',
  he: 'השיחה היא עם עוזר מבוסס בינה מלאכותית, ולא עם אדם. התשובות שלו עלולות להיות שגויות, ולכן כדאי לבדוק כל דבר חשוב. ההודעות שלך מעובדות אצל ספק השירות של האתר הזה כדי להשיב לך.',
  hi: 'आप किसी व्यक्ति से नहीं, बल्कि एक एआई (कृत्रिम बुद्धिमत्ता) सहायक से चैट कर रहे हैं। इसके उत्तर ग़लत हो सकते हैं, इसलिए ज़रूरी बातों की जाँच अवश्य करें। आपको उत्तर देने के लिए आपके संदेशों को इस वेबसाइट का सेवा प्रदाता संसाधित करता है।',
  hu: 'Ön egy mesterségesintelligencia-asszisztenssel cseveg, nem emberrel. A válaszai tévesek lehetnek, ezért a fontos dolgokat ellenőrizze. Az üzeneteit a webhely szolgáltatója dolgozza fel, hogy válaszolni lehessen Önnek.',
  it: 'Sta chattando con un assistente basato sull’intelligenza artificiale, non con una persona. Le sue risposte possono essere errate: verifichi ciò che è importante. I suoi messaggi sono trattati dal fornitore di servizi di questo sito web per poterle rispondere.',
  ja: 'これは人ではなく、AI アシスタントとのチャットです。回答には誤りが含まれることがありますので、重要な点はご確認ください。お送りいただいたメッセージは、回答のためにこのウェブサイトのサービス提供事業者が処理します。',
  ko: '지금 대화하는 상대는 사람이 아니라 AI 도우미입니다. 답변이 틀릴 수 있으니 중요한 내용은 꼭 확인해 주세요. 보내신 메시지는 답변을 드리기 위해 이 웹사이트의 서비스 제공업체가 처리합니다.',
  nb: 'Du chatter med en KI-assistent, ikke med et menneske. Svarene kan være feil, så kontroller det som er viktig. Meldingene dine behandles av tjenesteleverandøren til dette nettstedet for å kunne svare deg.',
  nl: 'U chat met een AI-assistent, niet met een mens. De antwoorden kunnen onjuist zijn, dus controleer wat belangrijk is. Uw berichten worden verwerkt door de dienstverlener van deze website om u te kunnen antwoorden.',
  pl: 'Rozmawiasz z asystentem opartym na sztucznej inteligencji, a nie z człowiekiem. Jego odpowiedzi mogą być błędne, dlatego sprawdzaj ważne informacje. Twoje wiadomości są przetwarzane przez dostawcę usług tej witryny, aby można było na nie odpowiedzieć.',
  'pt-BR':
    'Você está conversando com um assistente de inteligência artificial, não com uma pessoa. As respostas podem estar erradas, por isso confira tudo o que for importante. Suas mensagens são processadas pelo provedor de serviços deste site para responder a você.',
  'pt-PT':
    'Está a conversar com um assistente de inteligência artificial e não com uma pessoa. As respostas podem estar erradas, por isso verifique tudo o que for importante. As suas mensagens são tratadas pelo prestador de serviços deste site para lhe responder.',
  ro: 'Discutați cu un asistent bazat pe inteligență artificială, nu cu o persoană. Răspunsurile lui pot fi greșite, așa că verificați tot ce este important. Mesajele dumneavoastră sunt prelucrate de furnizorul de servicii al acestui site pentru a vă răspunde.',
  ru: 'Вы общаетесь с помощником на основе искусственного интеллекта, а не с человеком. Его ответы могут быть ошибочными, поэтому проверяйте всё важное. Ваши сообщения обрабатывает поставщик услуг этого сайта, чтобы ответить вам.',
  sv: 'Du chattar med en AI-assistent, inte med en människa. Svaren kan vara fel, så kontrollera det som är viktigt. Dina meddelanden behandlas av den här webbplatsens tjänsteleverantör för att kunna svara dig.',
  th: 'คุณกำลังสนทนากับผู้ช่วย AI ไม่ใช่กับคนจริง คำตอบอาจผิดพลาดได้ โปรดตรวจสอบเรื่องสำคัญทุกครั้ง ผู้ให้บริการของเว็บไซต์นี้จะประมวลผลข้อความของคุณเพื่อตอบคำถาม',
  tr: 'Bir insanla değil, bir yapay zekâ asistanıyla sohbet ediyorsunuz. Yanıtları yanlış olabilir; lütfen önemli bilgileri kontrol edin. Mesajlarınız, size yanıt verebilmek için bu web sitesinin hizmet sağlayıcısı tarafından işlenir.',
  uk: 'Ви спілкуєтеся з помічником на основі штучного інтелекту, а не з людиною. Його відповіді можуть бути помилковими, тому перевіряйте все важливе. Ваші повідомлення обробляє постачальник послуг цього сайту, щоб відповісти вам.',
  vi: 'Bạn đang trò chuyện với một trợ lý AI, không phải với người thật. Câu trả lời có thể sai, vì vậy hãy kiểm tra lại những điều quan trọng. Tin nhắn của bạn được nhà cung cấp dịch vụ của trang web này xử lý để trả lời bạn.',
  'zh-CN':
    '您正在与人工智能助手聊天，而不是与真人聊天。它的回答可能有误，重要信息请务必核实。为了回答您的问题，您的消息将由本网站的服务提供商处理。',
  'zh-TW':
    '您正在與人工智慧助理聊天，而不是與真人聊天。它的回答可能有誤，重要資訊請務必查證。為了回答您的問題，您的訊息將由本網站的服務供應商處理。',
} as const;

/** The notice that an AI answers, part of every directive in every region. */
type AiDisclosure = {
  readonly required: true;
  readonly text: string;
  /** The locale of the text, which may differ from the requested one. */
  readonly locale: string;
  /** Derived from locale and text. */
  readonly version: string;
  readonly show: 'before_first_message';
};

/** The texts of the consent prompt. Decisions send `copyVersion` back, and the consent log records it. */
type ConsentCopy = CopyText & {
  readonly locale: string;
  readonly copyVersion: string;
  readonly direction: 'ltr' | 'rtl';
};

/** One locale (`pt-BR`) or several, best first. */
type RequestedLocales = string | readonly string[] | undefined;

/** Returns the disclosure in the wanted language: the exact locale, else the base language, else English. */
export function aiDisclosure(requestedLocales: RequestedLocales): AiDisclosure {
  return selectText(disclosures, requestedLocales);
}

/** Returns the consent prompt's copy in the wanted language: the exact locale, else the base language, else English. */
export function consentCopy(requestedLocales: RequestedLocales): ConsentCopy {
  return selectText(copies, requestedLocales);
}

/** Returns the locale of a consent copy version; undefined for versions that this service does not show. */
export function findCopyLocale(copyVersion: string): string | undefined {
  return localesByCopyVersion.get(copyVersion);
}

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'fa', 'he']);

const disclosures: ReadonlyMap<string, AiDisclosure> = new Map(
  Object.entries(disclosureTexts).map(([locale, text]) => [
    locale,
    { required: true, text, locale, version: toVersion(locale, text), show: 'before_first_message' },
  ]),
);

const copies: ReadonlyMap<string, ConsentCopy> = new Map(
  Object.entries(copyTexts).map(([locale, text]) => [
    locale,
    {
      ...text,
      locale,
      copyVersion: toVersion(locale, text),
      direction: RIGHT_TO_LEFT.has(locale) ? 'rtl' : 'ltr',
    },
  ]),
);

const localesByCopyVersion: ReadonlyMap<string, string> = new Map(
  Array.from(copies.values(), (copy) => [copy.copyVersion, copy.locale]),
);

function toVersion(locale: string, text: unknown): string {
  return `${locale}+${hash('sha256', canonicalJson(text)).slice(0, 12)}`;
}

/** Base languages whose text is filed under a region, and the macrolanguage of Bokmål. */
const BASE_LANGUAGES: { readonly [language: string]: string } = { no: 'nb', pt: 'pt-BR', zh: 'zh-CN' };

function selectText<Text>(texts: ReadonlyMap<string, Text>, wanted: RequestedLocales): Text {
  const locales = wanted === undefined ? [] : typeof wanted === 'string' ? [wanted] : wanted;
  for (const requested of locales) {
    const text = findClosestText(texts, requested);
    if (text !== undefined) return text;
  }
  return texts.get('en') as Text;
}

function findClosestText<Text>(texts: ReadonlyMap<string, Text>, requested: string): Text | undefined {
  const named = texts.get(requested);
  if (named !== undefined) return named;
  const locale = parseLocale(requested);
  if (locale === undefined) return undefined;
  const exact = texts.get(locale.baseName);
  if (exact !== undefined) return exact;
  // Traditional Chinese is matched by script: zh-Hant and zh-HK are not zh-CN.
  if (locale.language === 'zh' && locale.maximize().script === 'Hant') return texts.get('zh-TW');
  return texts.get(locale.language) ?? texts.get(BASE_LANGUAGES[locale.language] ?? '');
}

function parseLocale(requested: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(requested);
  } catch {
    return undefined;
  }
}
