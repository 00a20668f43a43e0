/** An error whose message is written for users: commands print it without a stack trace. */
export class ExpectedError extends Error {}
