import { typeidUnboxed } from 'typeid-js';

/** The kinds of things that have ids. Every id is a TypeID: its prefix, then a UUIDv7 in base 32. */
export type IdPrefix =
  | 'ws'
  | 'usr'
  | 'mem'
  | 'key'
  | 'vis'
  | 'conv'
  | 'msg'
  | 'evt'
  | 'art'
  | 'tr'
  | 'con'
  | 'sub'
  | 'fb'
  | 'aud'
  | 'req';

/** A new id of this kind; ids of one kind sort by the time they were made. */
export function newId<P extends IdPrefix>(prefix: P): string {
  return typeidUnboxed(prefix);
}
