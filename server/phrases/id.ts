import type { Phrases } from './language.ts';

export const id: Phrases = {
  greeting: 'Halo! Ada yang bisa saya bantu?',
  thanks: 'Sama-sama! Kalau ada pertanyaan lain, silakan tanya saja.',
  goodbye: 'Sampai jumpa! Saya di sini kalau ada pertanyaan lain.',
  praise: 'Senang mendengarnya! Kalau ada pertanyaan lain, silakan tanya saja.',
  complaint:
    'Mohon maaf atas hal ini. Ceritakan dalam satu kalimat apa masalahnya, dan saya akan mencari solusinya.',
  abuse: 'Saya ingin membantu. Ceritakan dalam satu kalimat apa yang Anda cari.',
  identity:
    'Saya bukan manusia. Saya pemandu otomatis: perangkat lunak yang menjawab dari artikel situs ini.',
  capabilities:
    'Saya pemandu otomatis {name}. Saya menjawab pertanyaan dari artikel yang telah diterbitkan dan menunjukkan sumber setiap jawaban.',
  person: 'Saya pemandu otomatis dan tidak dapat menyambungkan Anda sendiri, tetapi tim kami siap membantu.',
  personUnavailable:
    'Saya pemandu otomatis dan sayangnya tidak dapat menyambungkan Anda dengan petugas. Ceritakan keperluan Anda, dan saya akan mencari jawabannya.',
  gibberish: 'Saya belum mengerti. Bisakah Anda bertanya dengan beberapa kata?',
  order:
    'Saya tetap pada tugas saya: menjawab pertanyaan dari artikel situs ini. Apa yang ingin Anda ketahui?',
  page: 'Anda berada di halaman “{title}”.',
  pageParts: 'Bagian-bagiannya:',
  pageUnknown: 'Saya tidak dapat membaca halaman ini, tetapi dapat menjawab pertanyaan dari artikel.',
  topics: 'Misalnya, Anda dapat bertanya tentang:',
  contact: 'Hubungi tim kami di sini: {contact}',
  nothingFound: 'Saya tidak menemukan apa pun tentang hal ini dalam artikel yang telah diterbitkan.',
  nearest: 'Topik yang paling dekat:',
  unsure: 'Saya kurang yakin maksud Anda. Apakah salah satu dari ini?',
  refused: 'Saya tidak dapat menjawab ini.',
};
