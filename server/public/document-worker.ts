/** The thread that makes one of the documents that derive from openapi.yaml. */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';
import { DERIVED_DOCUMENTS } from '../../contract/openapi/derive.ts';
import type { DocumentTask } from './derived-documents.ts';

const { name, source } = workerData as DocumentTask;
parentPort!.postMessage(DERIVED_DOCUMENTS[name]!(parse(await readFile(source, 'utf8'))));
