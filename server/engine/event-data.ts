/** Reads the `data` of server-sent events out of text that comes in any pieces. Comments and other fields say nothing here. */
export class EventData {
  readonly #charsMax: number;
  #rest = '';
  #data: string[] | undefined;
  #size = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** @throws RangeError when an event is larger than anybody would send. */
  feed(text: string): string[] {
    const events: string[] = [];
    const open = this.#rest + text;
    // A carriage return at the end may be half of a line end.
    const whole = open.endsWith('\r') ? open.length - 1 : open.length;
    const lines = open.slice(0, whole).split(/\r\n|\n|\r/);
    this.#rest = lines.pop()! + open.slice(whole);
    for (const line of lines) {
      if (line.startsWith('data:')) {
        const value = line.slice(line[5] === ' ' ? 6 : 5);
        this.#data ??= [];
        this.#data.push(value);
        this.#size += value.length;
      } else if (line === '' && this.#data) {
        events.push(this.#data.join('\n'));
        this.#data = undefined;
        this.#size = 0;
      }
    }
    if (this.#rest.length + this.#size > this.#charsMax) throw new RangeError('an event is too large');
    return events;
  }
}
