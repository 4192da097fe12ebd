/** A request to a simulator, or its answer. */
export type Json = Record<string, unknown>;

export const VENDOR_CODES = ['digi', 'wepay', 'lapak', 'seagm'] as const;
/** What we call a vendor. */
export type VendorCode = (typeof VENDOR_CODES)[number];

/** What a run sells of a vendor: three top-ups that differ in nothing else, and a card. */
export const ARTICLES = ['first', 'second', 'only', 'code'] as const;
export type Article = (typeof ARTICLES)[number];

export interface Offered {
  supplierSku: string;
  /** A decimal in the vendor's currency. */
  cost: string;
  /** How the vendor wants the player written; its usual way unless given. */
  template?: string;
}

/** A purchase as every simulator reports it. */
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

/** A request as the vendor received it. */
export interface VendorEntry extends Json {
  n: number;
  at: string;
  path: string;
  ref_id: string | null;
  /** What came of it, such as `refused` where nothing is on record. */
  decision: string;
  /** Null for the first one of a reference. */
  same_body: boolean | null;
}

/** A callback by a sender who knows where the vendor calls us, and not its secret. */
export interface Forgery {
  how: string;
  headers: Record<string, string>;
  body: string;
}

/** What an invented callback is about. */
export interface ForgedAbout {
  reference: string;
  sku: string;
  /** What the vendor calls it, supposedly: begins with `forged-`. */
  name: string;
  isSuccess: boolean;
}

/** What the suite knows of one vendor; all the rest is the same for all of them. */
export interface VendorKind {
  readonly code: VendorCode;
  /** The adapter, and the simulator, of that name. */
  readonly adapter: string;
  /** Follows the origin in the base URL. */
  readonly path: string;
  readonly credentials: Readonly<Record<string, string>>;
  readonly currency: string;
  /** Baht for one of its currency. */
  readonly rate: string;

  /** The account that the simulator starts with, where it is to call us included, and its readings. */
  readonly account: Json;
  readonly readings: Json;
  /** Changes of the account: too little money in it and enough of it, another key and ours. */
  readonly changes: Readonly<Record<'poor' | 'rich' | 'locked' | 'open', Json>>;
  /** Whether an account is as it should be: with our key and enough of our money. */
  readonly isWell: (account: Json) => boolean;
  /** The change of the account that tells where to call us; null where each purchase does. */
  readonly callBackAt: ((url: string) => Json) | null;

  /** Null where it sells no cards. */
  readonly articles: Readonly<Record<Article, Offered | null>>;
  /** The player, as requests to the vendor write it. */
  readonly playerOf: (userId: string) => string;
  /** What the vendor does with the purchases of a player, by the beginning of the player's name. */
  readonly behaviours: Readonly<Record<string, readonly Json[]>>;
  /** The same of players whose purchases it sells twice or against its own word, which the books have to show. */
  readonly contradictions: Readonly<Record<string, readonly Json[]>>;
  /** Those after which another supplier may sell it. */
  readonly refusing: readonly string[];
  /** Of the player's purchases it says that it did not sell, and later that it did: nobody can know before. */
  readonly boughtLate: readonly string[];
  /** Of these it tells nobody but in its statement. */
  readonly stated: readonly string[];
  /** These it makes so late that they were sent again, and makes both. */
  readonly boughtTwice: readonly string[];
  /** What it does with some of its cards. */
  readonly cardRules: readonly Json[];

  /** Codes that say that something is wrong with us, and not with the purchase; and which one a request was answered. */
  readonly refusalsOfUs: readonly string[];
  readonly codeIn: (entry: VendorEntry) => unknown;

  /** Whether time passes faster there, because it wants to be left alone for so long. */
  readonly isTimeFast: boolean;
  /** How long it is to be left alone between two purchases under one reference; null where asking buys nothing. */
  readonly gapMs: number | null;
  /**
   * What leaves a purchase in doubt for ever: that its answer to a repeat may not be about the first send, or that it tells
   * no more until it calls back; null where it is asked until it tells.
   */
  readonly leavesInDoubt: 'repeats' | 'silence' | null;
  /** Whether it tells what a purchase cost when it is asked about that. */
  readonly tellsCostLater: boolean;

  /** What a purchase may be called; the first one is what the vendor would tell on the phone. */
  readonly namesOf: (purchase: RawPurchase) => string[];
  /** The player in the requests to the vendor; null where they name none, as for a card. */
  readonly playerIn: (purchase: RawPurchase) => string | null;
  readonly codesIn: (purchase: RawPurchase) => string[];
  readonly isPurchase: (entry: VendorEntry) => boolean;
  /** What a purchase was allowed to cost, in its currency; undefined where requests carry no limit. */
  readonly limitIn?: (entry: VendorEntry) => number | null;

  /** Whether only what its secret signs is taken at all; else whatever it says just makes us ask. */
  readonly isSigned: boolean;
  readonly forgeries: (about: ForgedAbout) => Forgery[];
}

/** The server is the same for all players. */
export const SERVER_ID = '2001';

/** A reading or a step comes so long after the one before. */
export const LATER_MS = 3_000;

/** What may become of any request, and of its answer, whatever the vendor decides. */
export const ON_THE_WAY = {
  'bought-drop': [{ drop: true }],
  'lost-drop': [{ drop: true, decide: false }],
  'cut-off': [{ drop: 'mid_body' }],
  slow: [{ delay_ms: 2_500 }],
  'lost-502': [{ http: 502, decide: false }],
  html: [{ body: 'html' }],
  truncated: [{ body: 'truncated' }],
} satisfies Record<string, Json[]>;
