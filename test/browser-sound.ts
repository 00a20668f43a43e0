/** What a headless browser lacks: ears and loudspeakers. Scripts that run in a page before anything of its own. */

/** The speech recognition of a browser that sends sound to its maker; it hears these words, of which the first come early. */
export const recognition = (early: string, words: string) => `
class Recognition extends EventTarget {
  static available = async () => 'unavailable';
  say(words, isFinal) {
    const event = new Event('result');
    event.results = [Object.assign([{ transcript: words }], { isFinal })];
    this.dispatchEvent(event);
  }
  start() {
    globalThis.heardIn = this.lang;
    setTimeout(() => this.dispatchEvent(new Event('start')));
    setTimeout(() => this.say(${JSON.stringify(early)}, false), 10);
  }
  stop() {
    this.say(${JSON.stringify(words)}, true);
    this.dispatchEvent(new Event('end'));
  }
  abort() {}
}
globalThis.SpeechRecognition = globalThis.webkitSpeechRecognition = Recognition;
`;

/** Writes down what is played. */
export const PLAYED = `
globalThis.played = [];
const urlOf = URL.createObjectURL;
URL.createObjectURL = (what) => (played.push(what.constructor.name), urlOf.call(URL, what));
`;
