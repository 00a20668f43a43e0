import { GuideError } from '../errors.ts';

/**
 * The browser APIs that voice uses. The client also compiles and runs where these APIs and their types do not exist.
 */

/** Recorded sound, such as a `MediaStream` of a microphone. */
export type Sound = {
  getTracks(): readonly { stop(): void }[];
  getAudioTracks(): readonly unknown[];
};

type Events = {
  addEventListener(type: string, listen: (event: never) => void): void;
  removeEventListener(type: string, listen: (event: never) => void): void;
};

export type Recorder = Events & {
  mimeType: string;
  state: 'inactive' | 'recording' | 'paused';
  start(chunkMillis?: number): void;
  stop(): void;
};

export type Socket = Events & {
  readyState: number;
  send(data: Blob | string): void;
  close(): void;
};

export type DataChannel = Events & { readyState: string; send(text: string): void };

export type Peer = Events & {
  connectionState: string;
  addTrack(track: unknown, sound: Sound): unknown;
  createDataChannel(label: string): DataChannel;
  createOffer(): Promise<{ sdp?: string }>;
  setLocalDescription(offer: unknown): Promise<void>;
  setRemoteDescription(answer: { type: 'answer'; sdp: string }): Promise<void>;
  close(): void;
};

export type Recognition = Events & {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  processLocally?: boolean;
  start(): void;
  stop(): void;
  abort(): void;
};
export type RecognitionConstructor = {
  new (): Recognition;
  available?: (options: { langs: string[]; processLocally: boolean }) => Promise<string>;
};

export type Player = Events & {
  src: string;
  error: unknown;
  play(): Promise<void>;
  pause(): void;
};
export type SoundBuffer = Events & { appendBuffer(bytes: Uint8Array<ArrayBuffer>): void };
export type SoundSource = Events & {
  readyState: string;
  addSourceBuffer(mime: string): SoundBuffer;
  endOfStream(): void;
};

export type Browser = {
  navigator?: {
    language?: string;
    mediaDevices?: { getUserMedia(options: { audio: boolean }): Promise<Sound> };
  };
  MediaRecorder?: {
    new (sound: Sound, options: { mimeType?: string }): Recorder;
    isTypeSupported(type: string): boolean;
  };
  WebSocket?: { new (url: string, protocols: readonly string[]): Socket; OPEN: number };
  RTCPeerConnection?: { new (): Peer };
  SpeechRecognition?: RecognitionConstructor;
  webkitSpeechRecognition?: RecognitionConstructor;
  Audio?: { new (): Player };
  MediaSource?: { new (): SoundSource; isTypeSupported(type: string): boolean };
  addEventListener?: Events['addEventListener'];
  removeEventListener?: Events['removeEventListener'];
};

export const browser = globalThis as unknown as Browser;

/** Returns a browser API, or throws `unsupported`. */
export function requireFeature<T>(feature: T | undefined, name: string): T {
  if (feature === undefined) throw new GuideError('unsupported', `This browser has no ${name}.`);
  return feature;
}

/** Resolves with the next event of one of these types. */
export function nextEvent<T>(target: Events, ...types: readonly string[]): Promise<T> {
  return new Promise((resolve) => {
    const listen = (event: T) => {
      for (const type of types) target.removeEventListener(type, listen);
      resolve(event);
    };
    for (const type of types) target.addEventListener(type, listen);
  });
}
