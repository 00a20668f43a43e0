import type { Operations } from '../../generated/types.ts';
import type { CallOptions, RequestOptions } from './http.ts';

type OperationId = keyof Operations;
type Credential = Operations[OperationId]['credential'];

/** Operations that answer in JSON and take this credential; `Params` are path parameters that they must have. */
export type JsonOperation<C extends Credential, Params = unknown> = {
  [Id in OperationId]: Operations[Id] extends { credential: C; reply: unknown }
    ? unknown extends Params
      ? Id
      : Operations[Id] extends { params: Params }
        ? Id
        : never
    : never;
}[OperationId];

/** Operations whose answer is one page of a list, with `nextCursor`. */
export type ListOperation<Id extends OperationId> = {
  [Each in Id]: Operations[Each] extends { reply: { data: unknown[]; nextCursor?: string | undefined } }
    ? Each
    : never;
}[Id];

export type Reply<Id extends OperationId> = Operations[Id] extends { reply: infer R } ? R : never;
export type Row<Id extends OperationId> = Reply<Id> extends { data: (infer R)[] } ? R : never;

/** Operations for signed-in users, or for everyone. */
export type SessionOperation = JsonOperation<'session' | 'none'>;

export type BodyOf<Id extends OperationId> = Operations[Id] extends { body: infer B } ? B : never;

/** The path parameters of an operation, beside that of its workspace. */
export type ParamOf<Id extends OperationId> = Operations[Id] extends { params: infer P }
  ? Exclude<keyof P, 'tenantId'> & string
  : never;

type QueryOf<Id extends OperationId> = Operations[Id] extends { query?: infer Q } ? NonNullable<Q> : never;

/** Query parameters as the client takes them: `Date`s for moments, and booleans. */
export type QueryInput<Query> = {
  readonly [K in keyof Query]:
    | ('true' extends Query[K] ? boolean : never)
    | (K extends 'from' | 'to' ? Date : never)
    | Exclude<Query[K], 'true' | 'false'>;
};

/** Query parameters without the cursor. Times may be a `Date`. */
export type Filters<Id extends OperationId> = CallOptions & Omit<QueryInput<QueryOf<Id>>, 'cursor'>;

/** Makes a member optional when all of its fields are optional. */
type Member<Name extends string, T> = [T] extends [never]
  ? unknown
  : // biome-ignore lint/complexity/noBannedTypes: an object without required members.
    {} extends T
    ? { readonly [N in Name]?: T | undefined }
    : { readonly [N in Name]: T };

/** The input of an operation, by its entry in `Operations`. `Given` are path parameters that the caller adds. */
export type OperationInput<Id extends OperationId, Given extends string = never> = Member<
  'params',
  Operations[Id] extends { params: infer P } ? Omit<P, Given> : never
> &
  Member<'query', [QueryOf<Id>] extends [never] ? never : QueryInput<QueryOf<Id>>> &
  Member<'headers', Operations[Id] extends { headers: infer H } ? H : never> &
  Member<'body', BodyOf<Id>>;

/** The arguments after the operation: optional when the operation takes nothing. */
export type CallInput<Id extends OperationId, Given extends string = never> =
  // biome-ignore lint/complexity/noBannedTypes: an object without required members.
  {} extends OperationInput<Id, Given>
    ? [input?: OperationInput<Id, Given> & CallOptions & RequestOptions]
    : [input: OperationInput<Id, Given> & CallOptions & RequestOptions];
