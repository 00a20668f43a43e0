import type { Phrases } from './language.ts';

export const tr: Phrases = {
  greeting: 'Merhaba! Size nasıl yardımcı olabilirim?',
  thanks: 'Rica ederim! Başka bir sorunuz olursa buradayım.',
  goodbye: 'Hoşça kalın! Başka bir sorunuz olursa buradayım.',
  praise: 'Bunu duyduğuma sevindim! Başka bir sorunuz olursa buradayım.',
  complaint: 'Bunun için üzgünüm. Sorunu bir cümleyle anlatın, bir çözüm arayayım.',
  abuse: 'Yardımcı olmak isterim. Ne aradığınızı bir cümleyle yazın.',
  identity:
    'Ben bir insan değilim. Otomatik bir rehberim: bu sitenin makalelerinden yanıt veren bir yazılım.',
  capabilities:
    'Ben {name} için otomatik rehberim. Yayımlanmış makalelerden soruları yanıtlar, her yanıtın kaynağını gösteririm.',
  person: 'Otomatik bir rehberim ve sizi kendim bağlayamam, ama ekibimiz size memnuniyetle yardımcı olur.',
  personUnavailable:
    'Otomatik bir rehberim ve ne yazık ki sizi bir yetkiliye bağlayamam. Konuyu yazın, bir yanıt arayayım.',
  gibberish: 'Bunu anlayamadım. Sorunuzu birkaç kelimeyle yazabilir misiniz?',
  order: 'Ben işime bağlı kalıyorum: bu sitenin makalelerinden soruları yanıtlamak. Ne öğrenmek istersiniz?',
  page: '“{title}” sayfasındasınız.',
  pageParts: 'Sayfanın bölümleri:',
  pageUnknown: 'Bu sayfayı okuyamıyorum, ama makalelerden soruları yanıtlayabilirim.',
  topics: 'Örneğin bana şunları sorabilirsiniz:',
  contact: 'Ekibe buradan ulaşabilirsiniz: {contact}',
  nothingFound: 'Yayımlanmış makalelerde bununla ilgili bir şey bulamadım.',
  nearest: 'En yakın konular:',
  unsure: 'Ne demek istediğinizden emin değilim. Bunlardan biri mi?',
  refused: 'Buna yanıt veremem.',
};
