import type { Messages } from '../en.ts';

export const trouble: Messages['trouble'] = {
  title: 'Das hat nicht geklappt',
  network: 'Der Dienst ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.',
  rateLimited: 'Zu viele Anfragen. Versuche es nach {time} noch einmal.',
  busy: 'Der Dienst ist ausgelastet. Versuche es gleich noch einmal.',
  crossSite:
    'Der Dienst nimmt diese Anfrage von hier nicht an. Öffne das Dashboard unter seiner eigenen Adresse.',
  role: 'Deine Rolle erlaubt das nicht.',
  notFound: 'Das ist nicht mehr da. Vielleicht wurde es gelöscht.',
  invalid: 'Bitte prüfe deine Eingaben.',
  conflict: 'Inzwischen hat jemand anderes etwas geändert.',
  broken: 'Beim Dienst ist etwas schiefgegangen. Versuche es noch einmal.',
  reference: 'Kennung: {id}',
};
