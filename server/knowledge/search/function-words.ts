/**
 * Words that say nothing about a subject, in the languages that visitors write: articles, pronouns,
 * prepositions, auxiliaries, question words, and what requests start with. Few articles do not tell
 * how rare a word is in the language at large, so that "my" would count as much as "parcel".
 */

import { memoize } from '../../cache.ts';
import { getLanguage } from '../../text.ts';
import { MARKER, tokenize } from './tokenize.ts';

const WORDS: Readonly<Record<string, string>> = {
  ar: 'في من على إلى عن مع هو هي هم هل ما ماذا كيف أين متى لماذا كم أي أنا أنت نحن هذا هذه ذلك تلك التي الذي الذين كان كانت يكون أن إن لا لم لن قد كل بعض بعد قبل عند حتى أو ثم لكن إذا يمكن يمكنني أستطيع أريد أحتاج يجب لي لك له لها بي ليس غير فقط أيضا هناك من فضلك بين حول كنت تم يتم لدي عندي منذ',
  bg: 'и в на с за от до по при о без под над през към у не ли да ще че ако или но как какво кой коя кое кои къде кога защо колко аз ти той тя то ние вие те ми му й си се ме мен мой моя мое мои този тази това тези съм си е сме сте са бях беше бъде мога може можем искам трябва има няма имам като така само още вече моля',
  ca: "el la els les un una uns unes de del dels a al als en amb per què qui com quan on quin quina quins quines i o però si no es em et li ens us jo tu ell ella nosaltres el meu la meva meu meva això aquest aquesta aquests és són era ser estar està he has ha hem han tinc té puc pot podem vull cal hi ho se més molt també ja m'agradaria sobre des fins sense",
  cs: 'a i v ve na s se si z ze do od u o k ke po pro při za pod nad bez že aby ale nebo ani jak jaký jaká jaké co kdo kdy kde kam proč kolik který která které já ty on ona ono my vy oni mi mě mně můj moje má mé mám máte má máme svůj jsem jsi je jsme jste jsou byl byla bylo být bude budu mohu můžu může můžeme lze chci chtěl potřebuji musím to ten ta tato tento toto ty tom tak také už jen ještě když pokud prosím není nejde',
  da: 'og i på af til fra med om for ved at det den de en et er var være bliver blev har havde jeg du han hun vi I man mig min mit mine dig din sig sin sit der som hvad hvem hvor hvordan hvornår hvorfor hvilken hvilket hvilke ikke kan kunne skal skulle vil ville må får få gør gøre og eller men hvis når så også bare efter under over uden gerne tak',
  de: 'der die das den dem des ein eine einen einem einer eines und oder aber in im an am auf aus bei beim mit nach von vom vor zu zum zur für über unter um durch gegen ohne bis als wie was wer wen wem wo wohin woher wann warum wieso weshalb welche welcher welches welchen ich du er sie es wir ihr man mich mir dich dir sich uns euch ihn ihm ihnen mein meine meinen meinem meiner dein deine sein seine ihre unser unsere dies diese dieser dieses diesen diesem das bin bist ist sind seid war waren wird werden wurde wurden worden habe hast hat haben hatte hatten kann kannst können könnte könnt muss müssen soll sollte darf dürfen will wollen möchte mag brauche gibt es nicht kein keine keinen nur auch noch schon so wenn dass ob weil da dann denn mehr sehr hier dort bitte mal doch etwas nichts alle tun mache machen lässt lassen geht',
  el: 'ο η το οι τα του της των τον την τους τις στο στη στην στον στα στις στους ένα ένας μια μία και ή αλλά σε από με για ως προς μετά πριν χωρίς κατά πώς πως τι ποιος ποια ποιο ποιοι πού που πότε γιατί πόσο πόσα εγώ εσύ αυτός αυτή αυτό αυτά εμείς εσείς μου σου μας σας με θα να δεν μην είμαι είσαι είναι είμαστε ήταν έχω έχεις έχει έχουμε έχουν μπορώ μπορεί μπορούμε μπορείτε θέλω πρέπει κάνω κάνει αν όταν ότι όπως επίσης μόνο πολύ παρακαλώ υπάρχει γίνεται όλα',
  en: "the a an and or but if of in on at to from for with without by about into over under between through after before during as than then that this these those there here it its itself i me my mine myself you your yours he him his she her hers we us our ours they them their is are was were be been being am do does did doing done have has had having can could will would shall should may might must cannot can't don't doesn't isn't didn't won't what which who whom whose when where why how not no nor so too very just only also any some all more most much many such other each both same get got getting let lets want wants need needs like please tell show know help there's i'm i'd i've it's what's how's t s d m ll re ve don doesn isn didn won up out off make makes making possible way anything something someone happens happen",
  es: 'el la los las lo un una unos unas de del al a en con por para sin sobre entre hasta desde hacia y e o u pero si no ni que qué quién quien quiénes cómo como cuándo cuando dónde donde adónde cuál cuáles cuánto cuánta cuántos cuántas por qué porque yo tú él ella usted nosotros ellos ellas ustedes me te se le les nos mi mis tu tus su sus mío este esta esto estos estas ese esa eso aquel es son era fue ser está están estoy estar he has ha hemos han había hay tengo tiene tienen puedo puede pueden podemos poder debo debe quiero quisiera necesito hace hacer hago más muy también ya sólo solo algo todo todos toda otra otro favor',
  et: 'ja või aga kui et ei on oli olla olen oled oleme mis mida mille kes kus kuhu millal miks kuidas kui palju mina ma sina sa tema ta meie me teie te nemad minu mu sinu see seda selle need oma saan saab saame võin võib pean peab tahan soovin ka veel ainult juba siis nii palun üks kõik',
  fa: 'و در به از که را با برای این آن یا اما اگر تا بر هر هم است هست بود شود شد باشد می نمی کنم کند کنید کرد کردن دارم دارد دارید داشت من تو او ما شما آنها چه چی چگونه چطور کجا کی چرا کدام چند آیا باید می‌توانم می‌توان توانم توان خواهم می‌خواهم نیست یک بعد قبل روی لطفا خود بدون همه',
  fi: 'ja tai mutta jos kun että ei on oli olla olen olet olemme ovat mikä mitä mitkä kuka ketkä missä mihin mistä milloin miksi miten kuinka minä sinä hän me te he minun sinun se sen sitä tämä tämän tätä nämä ne voin voi voiko voinko voimme pitää täytyy haluan tarvitsen myös vielä vain jo niin kuin kanssa ilman jälkeen ennen en et emme eivät kaikki kiitos',
  fr: 'le la les l un une des du de d au aux à en dans sur sous avec sans pour par chez entre vers et ou mais si ne n pas plus que qu qui quoi quel quelle quels quelles comment quand où pourquoi combien est-ce ce c ça cela cet cette ces je j tu il elle on nous vous ils elles me m te t se s lui leur mon ma mes ton ta tes son sa ses notre nos votre vos mien est sont es suis sommes êtes était être été ai as a avons avez ont avoir eu peux peut pouvez peuvent puis dois doit faut veux voudrais fait faire fais y aussi très tout tous toute même déjà encore besoin aimerais svp',
  he: 'את של על עם אל מן לא כן גם או אם כי אבל רק כל זה זאת זו אלה הוא היא הם הן אני אתה אתם אנחנו לי לך לו לה לנו שלי שלך שלנו מה מי איך איפה היכן מתי למה מדוע כמה איזה איזו האם יש אין היה הייתה להיות יכול יכולה אפשר ניתן צריך צריכה רוצה עוד יותר מאוד כבר בלי אחרי לפני בין כדי בבקשה אחר',
  hi: 'का के की को में से पर और या लेकिन अगर यदि तो है हैं था थी थे हूँ हो होता होती होते हुआ हुई गया गई रहा रही रहे कर करना करने करें करते करता किया कैसे क्या कौन कहाँ कहां कब क्यों कितना कितने कितनी किस कौनसा मैं मुझे मेरा मेरी मेरे हम हमें आप आपका आपके तुम वह यह वे ये इस उस इन उन जो जब तक ने भी ही नहीं न एक अपना अपने अपनी लिए साथ बाद पहले सकता सकते सकती चाहिए चाहता चाहती कुछ सब बिना द्वारा कृपया',
  hr: 'i u na s sa za od do po pri o bez pod nad kroz prema ne li da će ako ili ali kako što šta tko ko koji koja koje gdje kada zašto koliko ja ti on ona ono mi vi oni mi me mene moj moja moje moji ovaj ova ovo taj ta to sam si je smo ste su bio bila biti može mogu možemo želim treba trebam ima nema imam kao tako samo još već se molim nije',
  hu: 'a az egy és vagy de ha hogy nem is csak már még van vannak volt lesz lenni mi mit ki kit hol hova honnan mikor miért hogyan hogy mennyi hány melyik én te ő mi ti ők engem nekem az én enyém ez ezt ezek azt azok tudok tudom tudja lehet kell akarok szeretnék szeretném kérem ban ben ra re után előtt nélkül szerint mint ilyen minden',
  id: 'yang dan atau di ke dari pada untuk dengan oleh dalam tanpa apa siapa kapan mana dimana di mana mengapa kenapa bagaimana berapa saya aku anda kamu dia kami kita mereka ini itu adalah ada tidak bukan bisa dapat boleh harus ingin mau perlu akan sudah telah belum sedang juga saja hanya lebih sangat jika kalau agar seperti setelah sebelum tolong cara apakah',
  it: "il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle in nel nella nei nelle con su sul sulla per tra fra da dal dalla senza e ed o ma se non né che chi cosa cos come quando dove quale quali quanto quanta quanti quante perché io tu lui lei noi voi loro mi m ti si ci vi me te mio mia miei mie tuo tua suo sua nostro questo questa questi queste quello quella è sono sei era essere stato ho hai ha abbiamo hanno avere posso può possono possiamo devo deve voglio vorrei fare faccio fa c'è c più molto anche già solo ancora tutto tutti ogni bisogno favore",
  ja: 'の に は を が で と も へ や か から まで より な だ です ます でした ました ません ない なく なり なる なっ て た し い れる られる せる こと もの ため よう とき 時 どう どの どこ どれ どちら 何 なに なん いつ 誰 だれ なぜ どうして どうすれ どのように いくら 私 僕 あなた この その あの これ それ あれ ここ そこ する して した し でき できる できます できない ください 下さい お ご たい たら れば ば ので のに けど けれど ある あり あります いる いて います いう という 方法 教え 教えて ね よ さ ん',
  ko: '은 는 이 가 을 를 의 에 에서 에게 으로 로 와 과 도 만 부터 까지 하고 그리고 또는 그런데 무엇 뭐 무슨 어떻게 어떤 어디 어디서 어디에 언제 왜 누가 누구 얼마 얼마나 몇 나 내 제 저 저는 나는 내가 제가 우리 당신 이 그 저 이것 그것 있 있나요 있습니까 있습니다 있는 있어요 없 없나요 없어요 하나요 합니까 합니다 해요 하는 하면 하려면 할 한 되나요 됩니까 되는 수 것 때 싶어요 싶습니다 주세요 좀 더 안 못 방법 방법은 대해 위해',
  lt: 'ir ar arba bet jei kad ne yra buvo būti kas ką kam kaip kur kada kodėl kiek kuris kuri kokia koks aš tu jis ji mes jūs jie mano tavo savo man tau tai šis ši tas ta su be į iš nuo iki ant po prie per už apie galiu gali galima reikia noriu turiu taip tik dar jau prašau',
  lv: 'un vai bet ja ka ne nav ir bija būt kas ko kam kā kur kad kāpēc cik kurš kura kāds kāda es tu viņš viņa mēs jūs viņi mans mana tavs savs man tev tas tā šis šī ar bez uz no līdz pie par pēc pirms varu var vajag gribu vēlos arī tikai vēl jau lūdzu',
  nb: 'og i på av til fra med om for ved å det den de en et ei er var være blir ble har hadde jeg du han hun vi dere man meg min mitt mine deg din seg sin sitt som hva hvem hvor hvordan når hvorfor hvilken hvilket hvilke ikke kan kunne skal skulle vil ville må får få gjør gjøre eller men hvis så også bare etter under over uten gjerne takk',
  nl: 'de het een en of maar in op aan van uit bij met naar voor tot door over onder om te zonder tussen als dan dat dit die deze daar hier er wat wie waar waarheen wanneer waarom hoe hoeveel welke welk ik jij je u hij zij ze wij we jullie mij me mijn jouw zijn haar ons onze hun hen zich is ben bent was waren wordt worden werd heb hebt heeft hebben had kan kunt kunnen kon moet moeten mag mogen wil willen zou zal zullen doe doet doen krijg krijgen niet geen ook nog al alleen wel zo meer veel alle iets niets graag even nodig gaat',
  pl: 'i a w we na z ze do od o u po pod nad za przez przy dla bez że aby żeby ale lub albo czy jak jaki jaka jakie co kto kogo kiedy gdzie dokąd skąd dlaczego czemu ile który która które ja ty on ona ono my wy oni mi mnie mój moja moje moim mojego mam masz ma mamy mają swój się siebie jestem jest są był była było być będzie będę mogę może można możemy chcę chciałbym potrzebuję muszę trzeba to ten ta te tego tej tym tak także też już tylko jeszcze kiedy jeśli gdy proszę nie ich jej jego',
  pt: 'o a os as um uma uns umas de do da dos das em no na nos nas num numa a ao à aos às com por pelo pela para pra sem sobre entre até desde e ou mas se não nem que quê quem como quando onde aonde qual quais quanto quanta quantos quantas por quê porque eu tu você vocês ele ela nós eles elas me te lhe nos meu minha meus minhas seu sua seus suas este esta isto esse essa isso aquele é são era foi ser está estão estou estar tenho tem têm há havia posso pode podem podemos poder devo deve quero gostaria preciso faz fazer faço mais muito também já só todo todos toda favor consigo',
  ro: 'și sau dar dacă că să nu de la în din pe cu fără pentru prin despre după până între sub un o unei unui ai ale al a cel cea cei cele ce cine care cum când unde de ce cât câte câți câtă eu tu el ea noi voi ei ele mă îmi mi te ți se își îl o ne vă le lui meu mea mei mele tău ta său sa acest această acesta aceste aceasta este e sunt ești suntem era fost fi fie am are avem au aveți pot poate putem puteți vreau trebuie face fac mai foarte tot și doar deja vrea rog',
  ru: 'и в во на с со к ко у о об от до по за из под над при без для через между не ни ли бы же что чтобы как какой какая какое какие кто кого где куда откуда когда почему зачем сколько который которая которое которые чей я ты он она оно мы вы они мне меня мой моя моё мои моего моей тебя тебе вас вам нас нам его её ее их себя свой это этот эта эти этого тот та то те есть был была было были быть будет буду могу может можно можете нельзя хочу нужно надо должен если или но а да нет так также тоже уже только ещё еще очень все всё пожалуйста',
  sk: 'a i v vo na s so sa si z zo do od u o k ku po pre pri za pod nad bez že aby ale alebo ani ako aký aká aké čo kto kedy kde kam prečo koľko ktorý ktorá ktoré ja ty on ona ono my vy oni mi ma mňa môj moja moje mám máte má máme svoj som je sme ste sú bol bola bolo byť bude budem môžem môže možno dá chcem potrebujem musím to ten tá táto tento toto tak tiež už len ešte keď ak prosím nie',
  sl: 'in v na s z za od do po pri o brez pod nad skozi k ne ali da bo če pa ter kako kaj kdo kateri katera katero kje kam kdaj zakaj koliko jaz ti on ona mi vi oni me mi moj moja moje ta to tisti sem si je smo ste so bil bila biti lahko morem moram želim hočem treba ima nima imam kot tako samo še že se prosim ni',
  sr: 'и у на с са за од до по при о без под над кроз према не ли да ће ако или али како шта што ко који која које где када зашто колико ја ти он она ми ви они ме мој моја моје овај ова ово тај та то сам си је смо сте су био била бити може могу желим треба има нема имам као тако само још већ се молим није',
  sv: 'och i på av till från med om för vid att det den de en ett är var vara blir blev har hade jag du han hon vi ni man mig min mitt mina dig din ditt sig sin sitt sina oss som vad vem var vart hur när varför vilken vilket vilka inte kan kunna kunde ska skall skulle vill ville måste får få gör göra eller men så också bara efter under över utan gärna tack finns mer mycket alla',
  th: 'ที่ ของ และ หรือ แต่ ใน บน กับ จาก ให้ ได้ ไป มา เป็น คือ มี ไม่ จะ ก็ ว่า นี้ นั้น นี่ นั่น ฉัน ผม คุณ เรา เขา มัน อะไร ใคร ไหน ที่ไหน เมื่อไหร่ เมื่อไร เมื่อใด ทำไม อย่างไร ยังไง เท่าไหร่ เท่าใด กี่ ใด ไหม มั้ย หรือไม่ ครับ ค่ะ คะ ต้องการ ต้อง อยาก สามารถ ควร ทำ การ ความ ถ้า หาก เมื่อ โดย เพื่อ ด้วย แล้ว อยู่ ยัง เพียง ทุก ซึ่ง อัน ต่อ ถึง ตาม กว่า มาก ช่วย ขอ วิธี',
  tr: 've veya ya da ama fakat eğer ise ile için gibi kadar göre sonra önce bir bu şu o bunu şunu onu ben sen biz siz onlar bana sana bize benim senin bizim sizin onun ne nedir neden niçin niye nasıl nerede nereye nereden kim kime hangi hangisi kaç zaman mi mı mu mü mıyım miyim musunuz misiniz değil var yok olan olarak oldu olur olmak olabilir ediyor etmek etmem ederim eder edebilirim yapmak yapabilirim yaparım yapmalıyım gerekir gerekiyor istiyorum lazım çok daha en de ki her hiç sadece lütfen şey tüm',
  uk: 'і й та в у на з із зі до від по за під над при без для через між про о об не ні чи б би ж же що щоб як який яка яке які хто кого де куди звідки коли чому навіщо скільки котрий чий я ти він вона воно ми ви вони мені мене мій моя моє мої тебе тобі вас вам нас нам його її їх себе свій це цей ця ці цього той та те ті є був була було були бути буде буду можу може можна можете хочу треба потрібно повинен якщо або але а так також теж вже лише тільки ще дуже все всі будь ласка',
  vi: 'và hoặc hay nhưng nếu thì là của trong trên dưới ở từ đến cho với về tại bằng để mà các những một cái này đó kia ấy tôi bạn mình chúng ta anh chị em họ nó gì nào ai đâu khi bao giờ sao tại sao thế làm như được có không phải bị đã đang sẽ cũng rất chỉ còn nữa muốn cần nên hãy xin vui lòng bao nhiêu mấy việc sự ra vào lại do qua giúp',
  zh: '的 了 是 在 和 与 或 但 而 及 有 没有 不 没 也 都 就 还 又 很 更 最 把 被 给 对 从 到 向 为 以 于 由 用 让 我 你 您 他 她 它 我们 你们 他们 这 那 这个 那个 这些 那些 哪 哪里 哪个 哪些 哪儿 什么 怎么 怎样 怎么样 怎么办 如何 为什么 为何 什么时候 何时 几 多少 谁 吗 呢 吧 啊 能 能否 可以 会 要 想 需要 应该 请 请问 请告诉 一个 一下 个 时 中 上 下 里 后 前 之 其 所 做 是否 可 並 嗎 這 這個 個 為 為什麼 怎麼 什麼 哪裡 沒有 我們 與 會 從 對 還',
};

/** Norwegian has two tags and two spellings, close enough. */
const SAME_WORDS: Readonly<Record<string, string>> = {
  no: 'nb',
  nn: 'nb',
  iw: 'he',
  in: 'id',
  ms: 'id',
  bs: 'hr',
};

/** The function words of a locale's language, normalized; empty for a language that is not listed. */
export const getFunctionWords = memoize(
  (locale: string): ReadonlySet<string> => {
    const language = getLanguage(locale);
    const listed = SAME_WORDS[language] ?? language;
    return new Set(readWords(WORDS[listed] ?? '', locale));
  },
  (locale) => locale,
  200,
);

/** Share of a text's words that are function words of the language, 0..1. */
export function getFunctionShare(text: string, locale: string): number {
  const functionWords = getFunctionWords(locale);
  const words = readWords(text, locale);
  return words.length === 0 ? 0 : words.filter((word) => functionWords.has(word)).length / words.length;
}

function readWords(text: string, locale: string): string[] {
  const tokens = tokenize(text, locale, true);
  const words: string[] = [];
  let from = 0;
  while (from < tokens.length) {
    let to = from + 1;
    while (to < tokens.length && tokens[to]! > MARKER.denseNext) to += 1;
    if (tokens[from] !== MARKER.ngramsOnly) words.push(String.fromCharCode(...tokens.subarray(from + 1, to)));
    from = to;
  }
  return words;
}
