import { expect, it } from 'vitest';
import { splitQuestions } from '../../server/chat/intent/split-questions.ts';

it.each([
  ['how do I reset my password and how do I delete my account?', 'how do I delete my account?'],
  [
    'Wie ändere ich meine Adresse und wie storniere ich eine Bestellung?',
    'wie storniere ich eine Bestellung?',
  ],
  ['Comment changer mon adresse et comment annuler ma commande ?', 'comment annuler ma commande ?'],
  ['cómo cambio mi dirección y cómo cancelo mi pedido', 'cómo cancelo mi pedido'],
  ['Jak zmienić mój adres i jak anulować moje zamówienie?', 'jak anulować moje zamówienie?'],
  ['Как изменить мой адрес и как отменить мой заказ?', 'как отменить мой заказ?'],
])('splitQuestions splits %j', (text, second) => {
  expect(splitQuestions(text)).toEqual([expect.any(String), second]);
});

it.each([
  'how and where do I return an item',
  'what is the warranty and how long is it',
  'How do I know what to do and how?',
  'Wie lange und wie oft muss ich laden?',
])('splitQuestions leaves %j whole', (text) => {
  expect(splitQuestions(text)).toEqual([text]);
});
