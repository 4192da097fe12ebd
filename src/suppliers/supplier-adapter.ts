import type { CostMoney } from '../core/cost-money.js';
import type { ProductKind } from '../core/product-kind.js';
import type { Delivery, SupplierOutcome } from './supplier-outcome.js';

/** The facts that decide the built-in supplier's answer about a unit. That supplier stores nothing, so each call carries them. */
export interface SandboxPurchase {
  kind: ProductKind;
  userId: string;
  /** The unit's number in its order, counted from 1 over all items. */
  unitNumber: number;
  /** Milliseconds since the attempt was first sent. */
  ageMs: number;
}

/** The values that identify an attempt at its supplier. */
export interface NamedAttempt {
  /** The supplier's SKU. */
  sku: string;
  reference: string;
  /** The supplier's own name of the purchase; null until it reports one. */
  supplierReference: string | null;
  /** Present for units of the sandbox only. */
  sandbox?: SandboxPurchase;
}

/** One unit to buy. Every send of an attempt carries the same values. */
export interface TopUp {
  /** Names the attempt. It tells the supplier whether a send is a repetition or another purchase. */
  reference: string;
  sku: string;
  userId: string;
  serverId: string | null;
  characterId: string | null;
  /** The buyer's IPv4 or IPv6 address; null where the merchant gave none. */
  endUserIp: string | null;
  /** How the supplier wants the player written, such as `{user}|{server}`; null for the adapter's default. */
  playerTemplate: string | null;
  /** The maximum cost of the unit. Adapters with `guardsPrice` pass it on. */
  maxCost: CostMoney | null;
  /** The cost that the offer states; null where it states none. */
  expectedCost: CostMoney | null;
}

/** An attempt to buy a unit, with all that the service knows of it so far. */
export interface Attempt extends TopUp, NamedAttempt {
  /** Whether an earlier send may have reached the supplier: a refusal then says nothing about that send. */
  isRepeat: boolean;
}

/** A supplier's settings as the operator gave them, at the moment of the claim. */
export interface StoredSettings {
  baseUrl: string;
  /** By name: all that the adapter requires, and the optional ones that were given. */
  credentials: Record<string, string>;
  /** By name: those that were given. */
  options: Record<string, string>;
  timeoutMs: number;
  /** Where the supplier is to call us; null where it can't. */
  callbackUrl: string | null;
}

/**
 * Why a supplier did not return the requested data. `reached`: whether it answered at all. It may answer, but not offer this data.
 * `fault`: the fault, if known; `settings` means that no call could be made.
 */
export interface Unavailable {
  known: false;
  detail: string;
  reached: boolean;
  fault?: 'settings' | 'credentials' | 'rate' | 'ban';
}

/** Our balance at a supplier, in the currency that it reports. */
export type SupplierBalance = { known: true; amount: CostMoney } | Unavailable;

/** Whether a supplier's catalogue can be read. */
export type CatalogueProbe = { known: true } | Unavailable;

/** A product as a supplier's catalogue lists it. */
export interface SupplierProduct {
  /** The name under which we buy it there. */
  sku: string;
  name: string;
  /** The heading under which the supplier lists it; empty for none. */
  group: string;
  /** The price of one unit; null where it can't be read. */
  cost: CostMoney | null;
  /** Whether the supplier sells it at present, apart from its stock and its hours. */
  sellable: boolean;
  /** Null where the stock is unlimited or not reported. */
  stock: number | null;
  /** Whether a player may get it only once a day. */
  oncePerDay: boolean;
  /** When it is not sold: times of day as `hh:mm` in a time zone; `to` may be on the next day. Null for never. */
  cutOff: { from: string; to: string; zone: string } | null;
  /** The supplier's remark for buyers. */
  note: string | null;
  /**
   * A pattern that players must match, in the form that `readPattern` returns. It is matched with the player as the offer's
   * template writes it, or else with the user, a space and the server. Absent or null where the catalogue has none.
   */
  playerPattern?: string | null;
}

/** All that a supplier sells, as it lists it: a product that it lists twice is there twice. */
export type CatalogueReading = { known: true; products: SupplierProduct[] } | Unavailable;

/** One product; null where the supplier lists none of that SKU. */
export type ProductReading = { known: true; product: SupplierProduct | null } | Unavailable;

/** Reads the products that a supplier sells. */
export interface Catalogue<Settings = unknown> {
  /** The shortest time between two readings; 0 for no limit. */
  readonly minGapMs: number;
  /** The shortest time between two readings of single products; readings of the whole do not count. */
  readonly productGapMs: number;
  /** Whether the supplier documents no such limit, so that the gap is only our courtesy. An operator may then ignore it. */
  readonly isGapOurs?: boolean;
  read(settings: Settings): Promise<CatalogueReading>;
  readOne(settings: Settings, sku: string): Promise<ProductReading>;
  /** Finds out whether the catalogue can be read, by reading as little of it as possible. */
  probe(settings: Settings): Promise<CatalogueProbe>;
}

/** A purchase as a supplier lists it. It has at least one of the two references. */
export interface ListedPurchase {
  /** Our reference. */
  reference: string | null;
  supplierReference: string | null;
  /** Null where the list gives no state, or one that nothing proves. */
  state: 'succeeded' | 'failed' | 'processing' | null;
  sku: string | null;
  /** As the supplier writes it. */
  player: string | null;
  /** By the supplier's clock. */
  boughtAt: Date | null;
  cost: CostMoney | null;
}

/** A page of the purchases that a supplier lists. */
export interface PurchasesPage {
  known: true;
  purchases: ListedPurchase[];
  /** How many more entries there are that can't be read. */
  unreadable: number;
  /** The supplier's reference of the first unreadable entry that has one. */
  unreadableName?: string | null;
  /** The cursor of the next page; null on the last page. */
  next: string | null;
}

export type PurchasesReading = PurchasesPage | Unavailable;

/** Lists our purchases at a supplier. */
export interface PurchaseList<Settings = unknown> {
  /**
   * @param since lists purchases from this moment on, by the supplier's clock.
   * @param page `next` of the page before; null for the first page.
   * @returns null where this supplier has no list, although others with this adapter do.
   */
  read(settings: Settings, since: Date, page: string | null): Promise<PurchasesReading | null>;
}

/** When to query a supplier about an attempt. */
interface InquiryTiming {
  /** The first inquiry follows the send after this time. */
  readonly firstMs: number;
  /** The shortest time between two calls about one attempt; 0 for no limit. */
  readonly minGapMs: number;
  /** The age up to which the supplier answers about an attempt; null for any age. */
  readonly maxAgeMs: number | null;
}

/** An inquiry that only reads. */
export interface ReadingInquiry<Settings = unknown> extends InquiryTiming {
  readonly mayBuy: false;
  /**
   * Whether "never seen" is reliable. If so, the attempt may be sent again after the quiet period even where the supplier does
   * not deduplicate.
   */
  readonly isNotFoundCertain?: true;
  query(settings: Settings, attempt: NamedAttempt): Promise<SupplierOutcome>;
}

/** An inquiry that repeats the send. It buys the unit if no earlier send arrived, so workers claim it like a send. */
export interface BuyingInquiry<Settings = unknown> extends InquiryTiming {
  readonly mayBuy: true;
  /** Whether a repeat certainly buys nothing, if the supplier reported the purchase as sold and it is younger than `maxAgeMs`. */
  readonly remembersSales?: true;
  /** The inquiry for attempts whose supplier reference is known, at any age. Absent where that makes no difference. */
  readonly bySupplierReference?: ReadingInquiry<Settings> & { maxAgeMs: null };
  query(settings: Settings, attempt: Attempt): Promise<SupplierOutcome>;
}

export type Inquiry<Settings = unknown> = ReadingInquiry<Settings> | BuyingInquiry<Settings>;

/** A callback from a supplier, as it came in. */
export interface RawCallback {
  method: 'GET' | 'POST';
  /** By name in lower case; several values of one header are joined by commas. */
  headers: Record<string, string | undefined>;
  query: Record<string, string>;
  body: Buffer;
  receivedAt: Date;
}

/** The response to a callback: 200 and `{"status":"ok"}` unless the supplier expects something else. */
export interface CallbackReply {
  status: number;
  contentType: string;
  body: string;
}

/**
 * The content of a callback.
 * - `ping`: nothing. The supplier checks whether the address works.
 * - `refused`: it does not prove that it comes from the supplier. The response is 401.
 * - `unreadable`: it proves that, but can't be understood. It is stored for the operator.
 * - `about`: a report about an attempt, which it names by our reference or by the supplier's. It has an outcome only if a secret
 *   signs the whole callback. The outcome settles the unit. It may be a function of the named attempt. Without an outcome, the
 *   callback only leads to an inquiry.
 * - `products`: these SKUs have changed. Nothing proves it, so workers read the known ones again.
 */
export type CallbackReading = { reply?: CallbackReply } & (
  | { kind: 'ping' }
  | { kind: 'refused'; detail: string }
  | { kind: 'unreadable'; detail: string }
  | { kind: 'products'; skus: string[] }
  | {
      kind: 'about';
      reference?: string;
      supplierReference?: string;
      outcome?: SupplierOutcome | ((attempt: NamedAttempt) => SupplierOutcome);
      /** Set where an unproven callback says "sold": for an attempt that succeeded it is no news. */
      saysSold?: true;
      /** The supplier's name of this callback: a repeat has the same one. */
      deliveryId?: string;
      /** The purchase, as far as the callback describes it. Operators see it if no order knows the purchase. */
      purchase?: { sku?: string; player?: string; cost?: CostMoney };
    }
);

export interface CallbackReader<Settings = unknown> {
  /** Reads a callback. Makes no call, reads no clock and never throws. */
  read(raw: RawCallback, settings: Settings): CallbackReading;
  /** Whether settings let callbacks prove where they come from. Absent where that does not depend on settings. */
  isProvenWith?(settings: Settings): boolean;
  /**
   * Reads the codes in the body of a callback. They count only after the supplier has confirmed this very purchase in an
   * inquiry whose answer lacked the code. Absent where inquiries return every code.
   */
  deliveriesIn?(body: Buffer): Delivery[];
}

/**
 * A kind of supplier. `Settings` is what `readSettings` makes of the stored settings; each call gets it back. No call throws
 * for a fault of the supplier or the network: that is an outcome. `capabilitiesOf` lists what the optional members offer.
 */
export interface SupplierAdapter<Settings = unknown> {
  /**
   * Whether a repeated reference buys nothing a second time. If not, workers send a unit again only if the supplier certainly
   * did not get the earlier send.
   */
  readonly deduplicates: boolean;
  /** Whether the supplier refuses a purchase that costs more than we allow. */
  readonly guardsPrice?: true;
  /** @throws BAD_REQUEST for settings that can't work, with a message for the operator that contains no credential. */
  readSettings(stored: StoredSettings): Settings;
  /** Sends one purchase. */
  send(settings: Settings, attempt: Attempt): Promise<SupplierOutcome>;
  /** Finds out the result of an attempt; null if that is impossible. */
  readonly inquiry: Inquiry<Settings> | null;
  /** Reads its callbacks; absent if it never calls us. */
  readonly callbacks?: CallbackReader<Settings>;
  /** Reads our balance. */
  balance(settings: Settings): Promise<SupplierBalance>;
  /** Lists our purchases; absent if the supplier has no such list. */
  readonly purchases?: PurchaseList<Settings>;
  /** Lists its products; absent if the supplier has no such list. */
  readonly catalogue?: Catalogue<Settings>;
}

/**
 * Why we would not notice that a supplier contradicts itself. The text continues a sentence that begins with the supplier's
 * code. Null if we would notice, or if no setting could change it. @param readSettings called only where settings decide.
 */
export const whyUnnoticed = <Settings>(
  adapter: SupplierAdapter<Settings>,
  readSettings: () => Settings,
): string | null =>
  adapter.inquiry?.mayBuy === true && adapter.callbacks?.isProvenWith?.(readSettings()) === false
    ? 'can’t be asked about what it refused, or sold long ago, and nothing proves its callbacks: a late sale, or one that it ' +
      'takes back, is not noticed. Set its webhook_secret'
    : null;

/** The inquiry to use for an attempt. @param isNamed whether its supplier reference is known. */
export const inquiryAbout = <Settings>(
  { inquiry }: Pick<SupplierAdapter<Settings>, 'inquiry'>,
  isNamed: boolean,
): Inquiry<Settings> | null => (isNamed && inquiry?.mayBuy && inquiry.bySupplierReference) || inquiry;
