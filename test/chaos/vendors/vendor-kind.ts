/** A request to a simulator, or its answer. */
export type Json = Record<string, unknown>;

export const VENDOR_CODES = ['digi', 'wepay', 'lapak', 'seagm'] as const;
/** The code of a vendor. */
export type AnswerCode = (typeof VENDOR_CODES)[number];

/** The products of a vendor in a run: three equal top-ups, and a card. */
export const ARTICLES = ['first', 'second', 'only', 'code'] as const;
export type Article = (typeof ARTICLES)[number];

export interface Offered {
  supplierSku: string;
  /** A decimal in the vendor's currency. */
  cost: string;
  /** The template of the vendor's player; by default, its usual one. */
  template?: string;
}

/** A simulator's report of a purchase. */
export interface RawPurchase extends Json {
  ref_id: string;
  sku: string;
  price_debited: number | string;
  times_bought: number;
  standing: number;
  pending: number;
  sends: number;
  transactions: (Json & { trx_id: string; steps: object[] })[];
}

/** A request that the vendor received. */
export interface VendorEntry extends Json {
  n: number;
  at: string;
  path: string;
  ref_id: string | null;
  /** Its result, such as `refused` if nothing is recorded. */
  decision: string;
  /** The gap since the previous request; null for the first one of a reference. */
  same_body: boolean | null;
}

/** A callback of a sender who knows the callback address of the vendor, but not its secret. */
export interface Forgery {
  how: string;
  headers: Record<string, string>;
  body: string;
}

/** The subject of a forged callback. */
export interface ForgedAbout {
  reference: string;
  sku: string;
  /** The vendor's supposed reference: begins with `forged-`. */
  name: string;
  isSuccess: boolean;
}

/** The differences between vendors for the run. */
export interface VendorKind {
  readonly code: AnswerCode;
  /** The name of the adapter and of the simulator. */
  readonly adapter: string;
  /** The path of the base URL. */
  readonly path: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly currency: string;
  /** Baht for one unit of its currency. */
  readonly rate: string;

  /** The simulator's first account, with our callback address, and its readings. */
  readonly account: Json;
  readonly readings: Json;
  /** Changes of the account: too little money and enough of it, another key and ours. */
  readonly changes: Readonly<Record<'poor' | 'rich' | 'locked' | 'open', Json>>;
  /** Whether an account is right: with our key and enough of our money. */
  readonly isWell: (account: Json) => boolean;
  /** The change of the account that sets our callback address; null if each purchase has the address. */
  readonly callBackAt: ((url: string) => Json) | null;

  /** Null if it sells no cards. */
  readonly articles: Readonly<Record<Article, Offered | null>>;
  /** The player in requests to the vendor. */
  readonly playerOf: (userId: string) => string;
  /** The vendor's behaviour for a player, by the prefix of the player's name. */
  readonly behaviours: Readonly<Record<string, readonly Json[]>>;
  /** The same for players whose units it sells twice or after a refusal, which the books must show. */
  readonly contradictions: Readonly<Record<string, readonly Json[]>>;
  /** Behaviours after which another supplier may sell the unit. */
  readonly refusing: readonly string[];
  /** It first reports that it did not sell the player's unit, and later that it did. */
  readonly boughtLate: readonly string[];
  /** It reports these sales only in its statement. */
  readonly stated: readonly string[];
  /** It makes these sales so late that the unit was sent again, and sells both. */
  readonly boughtTwice: readonly string[];
  /** Its behaviour for some of its cards. */
  readonly cardRules: readonly Json[];

  /** Codes about faults of ours, not of the purchase; and the code of the answer to a request. */
  readonly refusalsOfUs: readonly string[];
  readonly codeIn: (entry: VendorEntry) => unknown;

  /** Whether its clock runs faster, because its minimum gaps are long. */
  readonly isTimeFast: boolean;
  /** The minimum gap between two purchases under one reference; null if an inquiry buys nothing. */
  readonly gapMs: number | null;
  /**
   * The reason why a unit may stay in doubt for ever: its answer to a repeat may not be about the first send, or it reports no
   * outcome before its callback; null if inquiries always learn the outcome.
   */
  readonly leavesInDoubt: 'repeats' | 'silence' | null;
  /** Whether an inquiry reports the cost of a purchase. */
  readonly tellsCostLater: boolean;

  /** The vendor's possible references of a purchase. The first is the one that an operator would learn from the vendor. */
  readonly namesOf: (purchase: RawPurchase) => string[];
  /** The player in the requests to the vendor; null if they have none, such as for a card. */
  readonly playerIn: (purchase: RawPurchase) => string | null;
  readonly codesIn: (purchase: RawPurchase) => string[];
  readonly isPurchase: (entry: VendorEntry) => boolean;
  /** The maximum cost in a request, in its currency; undefined if requests have none. */
  readonly limitIn?: (entry: VendorEntry) => number | null;

  /** Whether only signed callbacks are accepted; otherwise every callback only causes an inquiry. */
  readonly isSigned: boolean;
  readonly forgeries: (about: ForgedAbout) => Forgery[];
}

/** The server is the same for all players. */
export const SERVER_ID = '2001';

/** The time between two readings or steps. */
export const LATER_MS = 3_000;

/** Faults of any request and its answer, with any decision of the vendor. */
export const ON_THE_WAY = {
  'bought-drop': [{ drop: true }],
  'lost-drop': [{ drop: true, decide: false }],
  'cut-off': [{ drop: 'mid_body' }],
  slow: [{ delay_ms: 2_500 }],
  'lost-502': [{ http: 502, decide: false }],
  html: [{ body: 'html' }],
  truncated: [{ body: 'truncated' }],
} satisfies Record<string, Json[]>;
