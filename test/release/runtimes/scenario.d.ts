export function runScenario(client: object, target: object): Promise<object>;
export const EXPECTED: object;
export const EXPECTED_WITH_EXPORT_AND_TENANT: object;
