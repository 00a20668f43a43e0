/**
 * The ledger of what requests hold in this process. It is asked before a request consumes from a rate limit or sends its body, so a
 * request that cannot be served costs nobody anything.
 */
export const RESOURCES = ['connections', 'body_bytes', 'streams'] as const;
export type Resource = (typeof RESOURCES)[number];

/** Whom a claim counts against. A holder that is left out is not limited. */
export type Holders = {
  readonly network?: string | undefined;
  readonly visitor?: string | undefined;
  readonly workspace?: string | undefined;
};
type HolderKind = keyof Holders;
const KINDS: readonly HolderKind[] = ['network', 'visitor', 'workspace'];

export type ResourceLimit = {
  /** All claims together. */
  readonly total: number;
  /**
   * A holder may hold at most this many times what is free, so one alone may use much, many share evenly, and a newcomer finds room
   * (dynamic thresholds: Choudhury and Hahne, 1998). With 1, one holder gets a half of the total and two get a third each.
   */
  readonly shares: Readonly<Partial<Record<HolderKind, number>>>;
};

/** Why something was refused: by the limit of all, or by the share of this holder. */
export type Refusal = 'total' | HolderKind;

/** What one request holds. It grows until it is released. */
export type Claim = {
  readonly amount: number;
  /** Takes more. Returns what refuses it, and then nothing is held any more, or undefined. */
  add(amount: number): Refusal | undefined;
  /** May be called more than once. */
  release(): void;
};

export type Ledger = {
  /** A claim that holds nothing yet. */
  open(resource: Resource, holders: Holders): Claim;
  /** What would refuse to take this much now, if anything. */
  refuses(resource: Resource, holders: Holders, amount: number): Refusal | undefined;
  held(resource: Resource): number;
};

export function createLedger(
  limits: Readonly<Record<Resource, ResourceLimit>>,
  onRefusal: (resource: Resource, by: Refusal) => void = () => {},
): Ledger {
  const accounts = new Map(Object.entries(limits).map(([name, limit]) => [name, new Account(limit)]));
  const account = (resource: Resource) => accounts.get(resource)!;
  const refuses = (resource: Resource, holders: Holders, amount: number) => {
    const refusal = account(resource).refuses(holders, amount);
    if (refusal) onRefusal(resource, refusal);
    return refusal;
  };
  return {
    refuses,
    held: (resource) => account(resource).total,
    open(resource, holders) {
      let held = 0;
      let isReleased = false;
      const release = () => {
        isReleased = true;
        if (held > 0) account(resource).change(holders, -held);
        held = 0;
      };
      return {
        get amount() {
          return held;
        },
        add(amount) {
          if (isReleased) return 'total';
          const refusal = refuses(resource, holders, amount);
          // Release at once: otherwise requests that grow together would all be refused because of each other.
          if (refusal) release();
          else {
            held += amount;
            account(resource).change(holders, amount);
          }
          return refusal;
        },
        release,
      };
    },
  };
}

/** What is held of one resource. Only holders of something have an entry, so the total bounds the memory. */
class Account {
  total = 0;
  readonly #limit: ResourceLimit;
  readonly #byHolder = { network: new Map(), visitor: new Map(), workspace: new Map() } as Readonly<
    Record<HolderKind, Map<string, number>>
  >;

  constructor(limit: ResourceLimit) {
    this.#limit = limit;
  }

  refuses(holders: Holders, amount: number): Refusal | undefined {
    const { total, shares } = this.#limit;
    const free = total - this.total;
    if (amount > free) return 'total';
    return KINDS.find((kind) => {
      const holder = holders[kind];
      const share = shares[kind];
      if (holder === undefined || share === undefined) return false;
      return (this.#byHolder[kind].get(holder) ?? 0) + amount > share * free;
    });
  }

  change(holders: Holders, amount: number): void {
    this.total += amount;
    for (const kind of KINDS) {
      const holder = holders[kind];
      if (holder === undefined) continue;
      const held = (this.#byHolder[kind].get(holder) ?? 0) + amount;
      if (held > 0) this.#byHolder[kind].set(holder, held);
      else this.#byHolder[kind].delete(holder);
    }
  }
}
