import { setTimeout as wait } from 'node:timers/promises';
import { collectWhenQuiet } from '../../server/base/spare-memory.ts';

/** Takes much memory, rests, and prints how many megabytes the heap has then and how many it had. */

const readHeap = () => Math.round(process.memoryUsage().heapTotal / 1024 ** 2);

collectWhenQuiet();
let kept: object[] = [];
for (let at = 0; at < 1_000_000; at += 1) kept.push({ at, name: `object ${at}` });
const busy = readHeap();
kept = [];
for (let check = 0; check < 60 && readHeap() > busy / 2; check += 1) await wait(500);
process.stdout.write(`${readHeap()} ${busy} ${kept.length}`);
