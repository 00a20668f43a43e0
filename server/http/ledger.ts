/**
 * The ledger of the resources that requests hold in this process. It is asked before a request consumes from a rate limit or sends its body, so a
 * request that cannot be served has no cost.
 */
export const RESOURCES = ['connections', 'body_bytes', 'streams'] as const;
export type Resource = (typeof RESOURCES)[number];

/** The holders that a claim counts against. A kind of holder that is left out is not limited. */
export type Holders = {
  network?: string | undefined;
  visitor?: string | undefined;
  workspace?: string | undefined;
};
type HolderKind = keyof Holders;
const HOLDER_KINDS: readonly HolderKind[] = ['network', 'visitor', 'workspace'];

export type ResourceLimit = {
  /** The maximum of all claims together. */
  total: number;
  /**
   * A holder may hold at most this many times what is free, so one alone may use much, many share evenly, and a newcomer finds room
   * (dynamic thresholds: Choudhury and Hahne, 1998). With 1, one holder gets a half of the total and two get a third each.
   */
  shares: Readonly<Partial<Record<HolderKind, number>>>;
  /** The minimum that a holder may hold, as far as there is room. */
  leastShares?: Readonly<Partial<Record<HolderKind, number>>>;
};

/** Why a claim was refused: by the total limit, or by the holder's share. */
export type Refusal = 'total' | HolderKind;

/** The resources that one request holds. It grows until it is released. */
export type Claim = {
  amount: number;
  /** Claims more. Returns undefined on success; a refusal releases the claim and returns its reason. */
  add(amount: number): Refusal | undefined;
  /** Sets the claim to the amount that was actually used, regardless of limits. */
  settle(amount: number): void;
  /** May be called more than once. */
  release(): void;
};

export type Ledger<R extends string = Resource> = {
  /** Opens a claim that holds nothing yet. */
  open(resource: R, holders: Holders): Claim;
  /** Returns the limit that would refuse this amount now; undefined when the amount is free. */
  findRefusal(resource: R, holders: Holders, amount: number): Refusal | undefined;
  /** Returns how much these holders may still claim. */
  room(resource: R, holders: Holders): number;
  held(resource: R): number;
};

export function createLedger<R extends string = Resource>(
  limits: Readonly<Record<R, ResourceLimit>>,
  onRefusal: (resource: R, by: Refusal) => void = () => {},
): Ledger<R> {
  const accounts = new Map(
    Object.entries<ResourceLimit>(limits).map(([name, limit]) => [name, new Account(limit)]),
  );
  const getAccount = (resource: R) => accounts.get(resource)!;
  const findRefusal = (resource: R, holders: Holders, amount: number) => {
    const refusal = getAccount(resource).findRefusal(holders, amount);
    if (refusal) onRefusal(resource, refusal);
    return refusal;
  };
  return {
    findRefusal,
    room: (resource, holders) => getAccount(resource).room(holders),
    held: (resource) => getAccount(resource).total,
    open(resource, holders) {
      let held = 0;
      let isReleased = false;
      const release = () => {
        isReleased = true;
        if (held > 0) getAccount(resource).change(holders, -held);
        held = 0;
      };
      return {
        get amount() {
          return held;
        },
        add(amount) {
          if (isReleased) return 'total';
          const refusal = findRefusal(resource, holders, amount);
          // Release at once: otherwise requests that grow together would all be refused because of each other.
          if (refusal) release();
          else {
            held += amount;
            getAccount(resource).change(holders, amount);
          }
          return refusal;
        },
        settle(amount) {
          if (isReleased) return;
          getAccount(resource).change(holders, amount - held);
          held = amount;
        },
        release,
      };
    },
  };
}

/** The amounts held of one resource. Only active holders have an entry, so the total bounds the memory. */
class Account {
  total = 0;
  readonly #limit: ResourceLimit;
  readonly #byHolder = { network: new Map(), visitor: new Map(), workspace: new Map() } as Readonly<
    Record<HolderKind, Map<string, number>>
  >;

  constructor(limit: ResourceLimit) {
    this.#limit = limit;
  }

  findRefusal(holders: Holders, amount: number): Refusal | undefined {
    if (amount > this.#free) return 'total';
    return HOLDER_KINDS.find((kind) => amount > this.#getRoom(kind, holders[kind]));
  }

  room(holders: Holders): number {
    return Math.max(
      0,
      Math.min(this.#free, ...HOLDER_KINDS.map((kind) => this.#getRoom(kind, holders[kind]))),
    );
  }

  get #free(): number {
    return this.#limit.total - this.total;
  }

  #getRoom(kind: HolderKind, holder: string | undefined): number {
    const { shares, leastShares } = this.#limit;
    const share = shares[kind];
    if (holder === undefined || share === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(share * this.#free, leastShares?.[kind] ?? 0) - (this.#byHolder[kind].get(holder) ?? 0);
  }

  change(holders: Holders, amount: number): void {
    this.total += amount;
    for (const kind of HOLDER_KINDS) {
      const holder = holders[kind];
      if (holder === undefined) continue;
      const held = (this.#byHolder[kind].get(holder) ?? 0) + amount;
      if (held > 0) this.#byHolder[kind].set(holder, held);
      else this.#byHolder[kind].delete(holder);
    }
  }
}
