import type { Operation } from '../../generated/types.ts';
import type { Connection, RowList } from './connection.ts';
import type { Answer, AnyInput, CallOptions, LastCallOptions, RequestOptions } from './http.ts';
import type { BodyOf, Filters, ListOperation, ParamOf, Reply, Row, SessionOperation } from './operations.ts';

type Untyped = Record<'call' | 'send' | 'list', (operation: Operation, input: AnyInput) => never>;

type AnyFilters = CallOptions & Record<string, never>;

/**
 * Makes methods of operations. A method takes the id of what the operation is about, if its name says so, then the body or
 * the filters, then the options of the call; `more` are options of every call.
 */
export function bindMethods<Ids extends SessionOperation, Given extends string>(
  connection: Connection<Ids, Given>,
) {
  const { call, send, list } = connection as unknown as Untyped;
  return {
    read:
      <Id extends Ids>(operation: Operation<Id>) =>
      (options?: CallOptions): Answer<Reply<Id>> =>
        call(operation, { ...options }),
    readById:
      <Id extends Ids>(operation: Operation<Id>, param: ParamOf<Id>, more?: RequestOptions) =>
      (id: string, options?: LastCallOptions): Answer<Reply<Id>> =>
        call(operation, { params: { [param]: id }, ...more, ...options }),
    write:
      <Id extends Ids>(operation: Operation<Id>, more?: RequestOptions) =>
      (body: BodyOf<Id>, options?: CallOptions): Answer<Reply<Id>> =>
        call(operation, { body, ...more, ...options }),
    writeById:
      <Id extends Ids>(operation: Operation<Id>, param: ParamOf<Id>, more?: RequestOptions) =>
      (id: string, body: BodyOf<Id>, options?: CallOptions): Answer<Reply<Id>> =>
        call(operation, { params: { [param]: id }, body, ...more, ...options }),
    removeById:
      <Id extends Ids>(operation: Operation<Id>, param: ParamOf<Id>) =>
      (id: string, options?: LastCallOptions): Answer<void> =>
        send(operation, { params: { [param]: id }, ...options }),
    pages:
      <Id extends ListOperation<Ids>>(operation: Operation<Id>) =>
      (filters?: Filters<Id>): RowList<Row<Id>, Reply<Id>> => {
        const { signal, ...query } = (filters ?? {}) as AnyFilters;
        return list(operation, { query, signal });
      },
    pagesOf:
      <Id extends ListOperation<Ids>>(operation: Operation<Id>, param: ParamOf<Id>) =>
      (id: string, filters?: Filters<Id>): RowList<Row<Id>, Reply<Id>> => {
        const { signal, ...query } = (filters ?? {}) as AnyFilters;
        return list(operation, { params: { [param]: id }, query, signal });
      },
  };
}
