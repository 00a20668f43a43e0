import type { Phrases } from './language.ts';

export const ro: Phrases = {
  greeting: 'Bună! Cu ce te pot ajuta?',
  thanks: 'Cu plăcere! Dacă mai ai întrebări, sunt aici.',
  goodbye: 'La revedere! Sunt aici dacă mai ai întrebări.',
  praise: 'Mă bucur! Dacă mai ai întrebări, sunt aici.',
  complaint: 'Îmi pare rău. Spune-mi într-o propoziție ce nu a mers și voi căuta o soluție.',
  abuse: 'Aș vrea să te ajut. Spune-mi într-o propoziție ce cauți.',
  identity: 'Nu sunt o persoană. Sunt un ghid automat: un program care răspunde din articolele acestui site.',
  capabilities:
    'Sunt ghidul automat al site-ului {name}. Răspund la întrebări din articolele publicate și arăt de unde provine fiecare răspuns.',
  person: 'Sunt un ghid automat și nu te pot transfera, dar echipa noastră te ajută cu plăcere.',
  personUnavailable:
    'Sunt un ghid automat și, din păcate, nu îți pot face legătura cu o persoană. Spune-mi despre ce este vorba și voi căuta un răspuns.',
  gibberish: 'Nu am înțeles. Poți pune întrebarea în câteva cuvinte?',
  order: 'Rămân la sarcina mea: să răspund la întrebări din articolele acestui site. Ce ai vrea să afli?',
  page: 'Ești pe pagina „{title}”.',
  pageParts: 'Acestea sunt părțile ei:',
  pageUnknown: 'Nu pot citi această pagină, dar pot răspunde la întrebări din articole.',
  topics: 'De exemplu, mă poți întreba despre:',
  contact: 'Poți contacta echipa aici: {contact}',
  nothingFound: 'Nu am găsit nimic despre acest subiect în articolele publicate.',
  nearest: 'Cele mai apropiate subiecte sunt:',
  unsure: 'Nu sunt sigur la ce te referi. Este unul dintre aceste subiecte?',
  refused: 'Nu pot răspunde la asta.',
};
