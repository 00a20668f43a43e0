/** The AI disclosure by locale: it is an AI and no person, it may be wrong, and who processes the messages. Data. */
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
