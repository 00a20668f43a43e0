import type { Phrases } from './language.ts';

export const pl: Phrases = {
  greeting: 'Dzień dobry! W czym mogę pomóc?',
  thanks: 'Nie ma za co! W razie kolejnych pytań jestem do dyspozycji.',
  goodbye: 'Do widzenia! W razie kolejnych pytań jestem do dyspozycji.',
  praise: 'Bardzo się cieszę! W razie kolejnych pytań jestem do dyspozycji.',
  complaint:
    'Przykro mi z tego powodu. Proszę napisać w jednym zdaniu, co się stało, a poszukam rozwiązania.',
  abuse: 'Chcę pomóc. Proszę napisać w jednym zdaniu, o co chodzi.',
  identity:
    'Nie jestem człowiekiem. Jestem automatycznym przewodnikiem: programem, który odpowiada na podstawie artykułów tej strony.',
  capabilities:
    'Jestem automatycznym przewodnikiem serwisu {name}. Odpowiadam na pytania na podstawie opublikowanych artykułów i pokazuję, skąd pochodzi każda odpowiedź.',
  person: 'Jestem automatycznym przewodnikiem i nie mogę przełączyć rozmowy, ale nasz zespół chętnie pomoże.',
  personUnavailable:
    'Jestem automatycznym przewodnikiem i niestety nie mogę połączyć z człowiekiem. Proszę napisać, o co chodzi, a poszukam odpowiedzi.',
  gibberish: 'Nie udało mi się tego zrozumieć. Czy można zadać pytanie w kilku słowach?',
  order:
    'Trzymam się swojego zadania: odpowiadam na pytania na podstawie artykułów tej strony. Czego chcesz się dowiedzieć?',
  page: 'To jest strona „{title}”.',
  pageParts: 'Oto jej części:',
  pageUnknown: 'Nie mogę odczytać tej strony, ale odpowiem na pytania na podstawie artykułów.',
  topics: 'Można mnie zapytać na przykład o:',
  contact: 'Kontakt z zespołem: {contact}',
  nothingFound: 'W opublikowanych artykułach nie ma nic na ten temat.',
  nearest: 'Najbliższe tematy to:',
  unsure: 'Nie mam pewności, o co chodzi. Czy to jeden z tych tematów?',
  refused: 'Nie mogę na to odpowiedzieć.',
};
