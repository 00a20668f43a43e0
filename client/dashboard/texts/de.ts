import type { Texts } from '../texts.ts';

export const de: Texts = {
  loading: 'Einen Moment …',

  setUpTitle: 'Guidepost einrichten',
  setUpLead: 'Ihnen gehört dann der erste Arbeitsbereich. Dieser Link gilt einmal.',
  email: 'E-Mail-Adresse',
  emailHint: 'Damit melden Sie sich an.',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  passwordHint: 'Mindestens {min} Zeichen. Ein paar Wörter ohne Zusammenhang merkt man sich leicht.',
  passwordLeft: 'Noch fehlende Zeichen: {count}.',
  passwordLongEnough: 'Lang genug.',
  show: 'Passwort anzeigen',
  hide: 'Passwort verbergen',
  shown: 'Das Passwort ist zu sehen.',
  hidden: 'Das Passwort ist verborgen.',
  workspaceName: 'Name des Arbeitsbereichs',
  workspaceNameHint: 'Ihre Firma oder Ihre Website, wie Besucher sie kennen.',
  origin: 'Website',
  originHint: 'Die Website, auf der die Hilfe stehen wird, etwa shop.example.com.',
  originBecomes: 'Erlaubt: {origin}',
  sourceLocale: 'Sprache, in der Sie schreiben',
  sourceLocaleHint: 'In dieser Sprache entstehen Ihre Artikel; Übersetzungen kommen hinzu.',
  setUp: 'Arbeitsbereich anlegen',
  settingUp: 'Der Arbeitsbereich wird angelegt …',

  needEmail: 'Geben Sie eine E-Mail-Adresse ein, etwa ada@example.com.',
  needPassword: 'Geben Sie ein Passwort ein.',
  needWorkspaceName: 'Geben Sie einen Namen ein.',
  needOrigin: 'Geben Sie die Adresse einer Website ein, etwa shop.example.com.',
  badLocale: 'Wählen Sie eine Sprache.',
  passwordProblems: {
    too_short: 'Zu kurz: Es braucht mindestens {min} Zeichen.',
    too_long: 'Zu lang: Es hat höchstens 256 Zeichen.',
    not_text: 'Es enthält Zeichen, die man nicht noch einmal eingeben kann.',
    repeated: 'Es wiederholt ein kurzes Stück.',
    sequential: 'Es läuft am Alphabet, an den Ziffern oder an der Tastatur entlang.',
    guessable:
      'Zu leicht zu erraten: Es besteht aus gängigen Wörtern, Ihrer Adresse oder dem Namen des Arbeitsbereichs.',
  },

  readyTitle: '{name} ist bereit',
  readyLead: 'Sie sind in diesem Browser als {email} angemeldet.',
  appId: 'App-Kennung',
  snippet: 'Das gehört auf jede Seite von {origin}',
  copy: 'Kopieren',
  copied: 'Kopiert.',
  notCopied: 'Der Browser hat das nicht erlaubt. Der Text ist markiert: Kopieren Sie ihn mit der Tastatur.',
  next: 'Wie es weitergeht',
  nextImport:
    'Geben Sie der Hilfe etwas, woraus sie antworten kann. Auf dem Server, mit Ihrem Ordner oder Ihrer Datei anstelle von PATH:',
  nextApi: 'Artikel, Übersetzungen, Mitglieder und Schlüssel stehen in der {api}.',
  api: 'API',
  dashboardToCome: 'Eine Oberfläche für all das gehört noch nicht zu dieser Version.',

  deadTitle: 'Dieser Link gilt nicht mehr',
  deadLead: 'Er wurde benutzt, ist älter als eine Stunde oder wurde nicht ganz kopiert.',
  deadNobody:
    'Kann sich noch niemand anmelden? Starten Sie den Server neu: Er zeigt dann in seinem Terminal einen neuen Link.',
  deadCommand:
    'Oder legen Sie auf der Befehlszeile des Servers einen Arbeitsbereich an, dem jemand vorsteht:',
  deadSomebody: 'Kann sich schon jemand anmelden? Bitten Sie die Inhaber um eine Einladung.',
  tokenMissingTitle: 'Der Link ist nicht vollständig',
  setUpTokenMissing:
    'Öffnen Sie noch einmal den ganzen Link, den der Server in seinem Terminal gezeigt hat. Der Teil hinter # ist der Schlüssel.',
  invitationTokenMissing:
    'Öffnen Sie noch einmal den ganzen Link, den Sie bekommen haben. Der Teil hinter # ist der Schlüssel.',

  invitationTitle: '{name} beitreten',
  invitationPage: 'Einladung',
  workspace: 'Arbeitsbereich',
  role: 'Rolle',
  roles: { owner: 'Inhaber', admin: 'Verwaltung', member: 'Mitglied' },
  validUntil: 'Gültig bis',
  chooseLead: 'Wählen Sie ein Passwort, mit dem Sie sich von nun an anmelden.',
  existingLead: 'Zu dieser Adresse gibt es ein Konto. Geben Sie sein Passwort ein, um beizutreten.',
  accept: 'Beitreten',
  accepting: 'Sie treten bei …',
  nowHasAccount:
    'Zu dieser Adresse gibt es inzwischen ein Konto. Geben Sie sein Passwort ein, um beizutreten.',
  joinedTitle: 'Sie gehören zu {name}',
  joinedLead: 'Sie sind in diesem Browser als {email} angemeldet. Ihre Rolle: {role}.',
  joinedApi: 'Was Ihre Rolle erlaubt, geht über die {api}.',
  invitationDeadTitle: 'Diese Einladung gilt nicht mehr',
  invitationDeadLead:
    'Sie wurde benutzt oder zurückgezogen, ist älter als sieben Tage, oder der Link wurde nicht ganz kopiert.',
  invitationDeadNext: 'Bitten Sie um eine neue, wo Sie diese bekommen haben.',

  wrongPassword: 'Das ist nicht das Passwort des Kontos.',
  fixFields: 'Bitte sehen Sie die markierten Felder an.',
  network: 'Der Dienst ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.',
  rateLimited: 'Zu viele Versuche. Um {time} geht es weiter.',
  busy: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  crossSite:
    'Der Dienst nimmt das von hier nicht an. Öffnen Sie den Link unter der Adresse, die darin steht.',
  broken: 'Beim Dienst ist etwas schiefgegangen. Versuchen Sie es erneut.',
  reference: 'Kennung: {id}',
  retry: 'Erneut versuchen',
};
