import type { CostMoney } from '../core/cost-money.js';
import type { ProductKind } from '../core/product-kind.js';
import type { UnitDelivery, SupplierOutcome } from './supplier-outcome.js';

/**
 * The facts that decide the built-in supplier's answer about a unit. Each call has them, because this supplier stores
 * nothing.
 */
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
  /** The supplier's own reference of the purchase; null until the supplier reports it. */
  supplierReference: string | null;
  /** Present for units of the sandbox only. */
  sandbox?: SandboxPurchase;
}

/** One unit to buy. Every send of an attempt has the same values. */
export interface TopUp {
  /** The attempt's reference. It shows the supplier whether a send repeats an earlier send or is another purchase. */
  reference: string;
  sku: string;
  userId: string;
  serverId: string | null;
  characterId: string | null;
  /** The buyer's IPv4 or IPv6 address; null if the merchant sent none. */
  endUserIp: string | null;
  /** How the supplier wants the player written, such as `{user}|{server}`; null for the adapter's default. */
  playerTemplate: string | null;
  /** The maximum cost of the unit; null if there is none. Digiflazz gets it; Lapakgaming gets `expectedCost`. */
  maxCost: CostMoney | null;
  /** The cost in the offer; null if the offer has none. */
  expectedCost: CostMoney | null;
}

/** An attempt to buy a unit, with all that the service knows of it so far. */
export interface Attempt extends TopUp, NamedAttempt {
  /** Whether an earlier send may have reached the supplier. Then a refusal says nothing about that earlier send. */
  isRepeat: boolean;
}

/**
 * A supplier's settings, as the operator entered them. A call for a claimed unit uses the settings at the moment of the
 * claim.
 */
export interface StoredSettings {
  baseUrl: string;
  /** The credentials by name: all required ones, and the optional ones that the operator entered. */
  credentials: Record<string, string>;
  /** The options that the operator entered, by name. */
  options: Record<string, string>;
  timeoutMs: number;
  /** The address at which the supplier must call us; null if we have none for this supplier. */
  callbackUrl: string | null;
}

/**
 * Why a supplier did not return the requested data. `offersNone`: the supplier works, but does not offer the data, or
 * not in a form that we can read. `fault`: the fault, if known; `settings` means that the settings allowed no call.
 */
export interface Unavailable {
  known: false;
  detail: string;
  offersNone: boolean;
  fault?: 'settings' | 'credentials' | 'rate' | 'ban';
}

/** Our balance at a supplier, in the currency that it reports. */
export type SupplierBalance = { known: true; amount: CostMoney } | Unavailable;

/** Whether a supplier's catalogue can be read. */
export type CatalogueProbe = { known: true } | Unavailable;

/** A product as a supplier's catalogue lists it. */
export interface SupplierProduct {
  /** The supplier's SKU, with which we buy the product. */
  sku: string;
  name: string;
  /** The heading under which the supplier lists it; empty for none. */
  group: string;
  /** The price of one unit; null if the catalogue has none, or none that can be read. */
  cost: CostMoney | null;
  /** Whether the supplier sells the product at present, regardless of stock and times of day. */
  sellable: boolean;
  /** Null if the stock is unlimited or not reported. */
  stock: number | null;
  /** Whether a player may get it only once a day. */
  oncePerDay: boolean;
  /**
   * When the product is not sold: times of day as `hh:mm` in a time zone. `to` may be on the next day. Null if it is always
   * sold.
   */
  cutOff: { from: string; to: string; zone: string } | null;
  /** The supplier's remark for buyers. */
  note: string | null;
  /**
   * A pattern that players must match, in the form that `readPattern` returns; absent or null if the catalogue has none. It is
   * matched with the player as the offer's template writes it; without a template, with the user, a space and the server.
   */
  playerPattern?: string | null;
}

/** All products that a supplier lists. A product that the supplier lists twice is there twice. */
export type CatalogueReading = { known: true; products: SupplierProduct[] } | Unavailable;

/** One product; null if the supplier lists no product with that SKU. */
export type ProductReading = { known: true; product: SupplierProduct | null } | Unavailable;

/** Reads the products that a supplier sells. */
export interface Catalogue<Settings = unknown> {
  /** The shortest time between two readings; 0 for no limit. */
  readonly minGapMs: number;
  /** The shortest time between two readings of single products. Readings of the whole catalogue do not count. */
  readonly productGapMs: number;
  /** Set if we chose `minGapMs`, and the supplier does not require it. Then an operator may ignore it. */
  readonly isGapOurs?: boolean;
  read(settings: Settings): Promise<CatalogueReading>;
  readOne(settings: Settings, sku: string): Promise<ProductReading>;
  /** Checks whether the catalogue can be read, by reading as little of it as possible. */
  probe(settings: Settings): Promise<CatalogueProbe>;
}

/** A purchase as a supplier lists it. It has at least one of the two references. */
export interface ListedPurchase {
  /** Our reference. */
  reference: string | null;
  supplierReference: string | null;
  /** Null if the list has no state for the purchase, or a state that proves nothing. */
  state: 'succeeded' | 'failed' | 'processing' | null;
  sku: string | null;
  /** The player, as the supplier writes it. */
  player: string | null;
  /** When the supplier sold the purchase, by its clock. */
  boughtAt: Date | null;
  cost: CostMoney | null;
}

/** A page of the purchases that a supplier lists. */
interface PurchasesPage {
  known: true;
  purchases: ListedPurchase[];
  /** The number of entries that cannot be read, in addition to `purchases`. */
  unreadable: number;
  /** The supplier's reference of the first unreadable entry that has one. */
  unreadableReference?: string | null;
  /** The cursor of the next page; null on the last page. */
  next: string | null;
}

export type PurchasesReading = PurchasesPage | Unavailable;

/** Lists our purchases at a supplier. */
export interface PurchaseList<Settings = unknown> {
  /**
   * @param since the list has purchases from this moment on, by the supplier's clock.
   * @param page `next` of the previous page; null for the first page.
   * @returns null if this supplier has no list, although other suppliers with this adapter have one.
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
   * Set if the outcome `never_seen` is reliable. Then the attempt may be sent again after the quiet period, even if the supplier
   * does not deduplicate.
   */
  readonly isNotFoundCertain?: true;
  query(settings: Settings, attempt: NamedAttempt): Promise<SupplierOutcome>;
}

/** An inquiry that repeats the send. It buys the unit if no earlier send arrived, so workers claim it like a send. */
export interface BuyingInquiry<Settings = unknown> extends InquiryTiming {
  readonly mayBuy: true;
  /**
   * Set if a repeat certainly buys nothing once the supplier has reported the sale, as long as the attempt is younger
   * than `maxAgeMs`.
   */
  readonly remembersSales?: true;
  /** The inquiry for attempts of any age whose supplier's reference is known. Absent if the supplier offers none. */
  readonly bySupplierReference?: ReadingInquiry<Settings> & { maxAgeMs: null };
  query(settings: Settings, attempt: Attempt): Promise<SupplierOutcome>;
}

export type Inquiry<Settings = unknown> = ReadingInquiry<Settings> | BuyingInquiry<Settings>;

/** A callback from a supplier, as we received it. */
export interface RawCallback {
  method: 'GET' | 'POST';
  /** The headers by name in lower case. Several values of one header are joined by commas. */
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
 * - `ping`: nothing. The supplier only checks whether the address works.
 * - `refused`: the callback does not prove that it comes from the supplier. The response is 401.
 * - `unreadable`: the callback is not refused, but cannot be understood. The service stores it for operators.
 * - `about`: a report about an attempt, with our reference or the supplier's. `outcome` is set only if a secret signs
 *   the whole report. It counts like the outcome of a call. It may be a function of the attempt that was found.
 *   Without an outcome, the callback only leads to an inquiry.
 * - `products`: these SKUs have changed. Nothing proves this, so workers read the SKUs again. The service ignores SKUs
 *   that are neither in the catalogue nor in an offer.
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
      /** Set if an unproven callback reports a sale. For an attempt that succeeded, this is nothing new. */
      saysSold?: true;
      /** The supplier's id of this callback. A repeated callback has the same id. */
      deliveryId?: string;
      /** The purchase, as far as the callback describes it. Operators see it if no order knows the purchase. */
      purchase?: { sku?: string; player?: string; cost?: CostMoney };
    }
);

export interface CallbackReader<Settings = unknown> {
  /** Reads a callback. Makes no call, reads no clock and never throws. */
  read(raw: RawCallback, settings: Settings): CallbackReading;
  /** Whether callbacks prove that they come from the supplier, with these settings. Absent if that does not depend on settings. */
  isProvenWith?(settings: Settings): boolean;
  /**
   * Reads the codes in the body of a callback. The service uses them only if an answer to an inquiry confirms the purchase and
   * lacks the code. Absent if answers to inquiries have every code.
   */
  deliveriesIn?(body: Buffer): UnitDelivery[];
}

/**
 * A kind of supplier. `readSettings` makes `Settings` from the stored settings, and each call gets them. No call throws
 * for a fault of the supplier or the network: the result has the fault. `capabilitiesOf` finds the capabilities from
 * the members.
 */
export interface SupplierAdapter<Settings = unknown> {
  /**
   * Whether the supplier sells nothing for a repeated reference. If it may sell again, workers repeat a send only if it
   * was not accepted, or if the supplier reliably reports that it never saw the reference.
   */
  readonly deduplicates: boolean;
  /** Whether the supplier refuses a purchase that costs more than we allow. */
  readonly guardsPrice?: true;
  /** @throws BAD_REQUEST for settings that can't work, with a message for the operator that contains no credential. */
  readSettings(stored: StoredSettings): Settings;
  /** Sends one purchase. */
  send(settings: Settings, attempt: Attempt): Promise<SupplierOutcome>;
  /** Queries the result of an attempt; null if that is impossible. */
  readonly inquiry: Inquiry<Settings> | null;
  /** Reads callbacks of the supplier; absent if it never calls us. */
  readonly callbacks?: CallbackReader<Settings>;
  /** Reads our balance. */
  balance(settings: Settings): Promise<SupplierBalance>;
  /** Lists our purchases; absent if the supplier has no such list. */
  readonly purchases?: PurchaseList<Settings>;
  /** Lists the products of the supplier; absent if it has no such list. */
  readonly catalogue?: Catalogue<Settings>;
}

/**
 * The reason why the service cannot notice contradictions of this supplier. The text continues a sentence that begins with the
 * supplier's code. Null if the service can notice them, or if no setting would help. @param readSettings is called only if the settings matter.
 */
export const whyUnnoticed = <Settings>(
  adapter: SupplierAdapter<Settings>,
  readSettings: () => Settings,
): string | null =>
  adapter.inquiry?.mayBuy === true && adapter.callbacks?.isProvenWith?.(readSettings()) === false
    ? 'answers no inquiries about refused or old purchases, and nothing proves its callbacks, so we do not notice a purchase that ' +
      'it makes late or takes back. Set its webhook_secret'
    : null;

/** The inquiry to use instead of a buying one if the supplier's reference is known; undefined if there is none. */
export const byReference = <Settings>({
  inquiry,
}: Pick<SupplierAdapter<Settings>, 'inquiry'>): BuyingInquiry<Settings>['bySupplierReference'] =>
  inquiry?.mayBuy ? inquiry.bySupplierReference : undefined;

/** The inquiry to use for an attempt; null if there is none. @param isNamed whether the supplier's reference is known. */
export const inquiryAbout = <Settings>(
  adapter: Pick<SupplierAdapter<Settings>, 'inquiry'>,
  isNamed: boolean,
): Inquiry<Settings> | null => (isNamed && byReference(adapter)) || adapter.inquiry;

/** The supplier's reference by which an inquiry names the purchase; null if it uses our reference. */
export const queriedAs = (
  adapter: Pick<SupplierAdapter, 'inquiry'>,
  supplierReference: string | null,
): string | null => (byReference(adapter) ? supplierReference : null);
