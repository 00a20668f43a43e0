export function walk(client: object, place: object): Promise<object>;
export const EXPECTED: object;
export const EXPECTED_OF_ALL_DOORS: object;
