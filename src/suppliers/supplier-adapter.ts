import type { CostMoney } from '../core/cost-money.js';
import type { NamedAttempt } from './named-attempt.js';
import type { CallbackReader } from './supplier-callback.js';
import type { SupplierOutcome } from './supplier-outcome.js';

export type { NamedAttempt } from './named-attempt.js';

/** One unit to buy, as it was first sent: each time that an attempt is sent, it is the same. */
export interface TopUp {
  /** Of the attempt: by it the supplier tells a repeated send from another purchase. */
  reference: string;
  sku: string;
  userId: string;
  serverId: string | null;
  characterId: string | null;
  /** Where the buyer ordered from: an IPv4 or IPv6 address, where the merchant has told it. */
  endUserIp: string | null;
  /** How the supplier wants the player written, such as `{user}|{server}`; null for its usual way. */
  playerTemplate: string | null;
  /** What it may cost at most, where the supplier can be told so. */
  maxCost: CostMoney | null;
  /** What its offer says that it costs; null where that says nothing. */
  expectedCost: CostMoney | null;
}

/** An attempt to buy a unit, as far as it has come. */
export interface Attempt extends TopUp, NamedAttempt {
  /** Whether it was sent before, in a way that may have reached the supplier: then a refusal may not be about that. */
  isRepeat: boolean;
}

/** A supplier's settings as the operator gave them, at the moment of the claim. */
export interface StoredSettings {
  baseUrl: string;
  /** By name: all that the adapter requires, and of the others those that were given. */
  credentials: Record<string, string>;
  /** By name, those that were given. */
  options: Record<string, string>;
  timeoutMs: number;
  /** Where the supplier is to call us; null where it can't. */
  callbackUrl: string | null;
}

/**
 * Why a supplier did not tell what it was asked, and whether it was reached and answers us: not every supplier tells
 * everything. `fault` says what is wrong, where that is known: `settings` are such that it could not even be asked.
 */
export interface Unavailable {
  known: false;
  detail: string;
  reached: boolean;
  fault?: 'settings' | 'credentials' | 'rate' | 'ban';
}

/** What we have left at a supplier, as it writes it. */
export type SupplierBalance = { known: true; amount: CostMoney } | Unavailable;

/** Whether a supplier's catalogue can be read. */
export type CatalogueProbe = { known: true } | Unavailable;

/** What a supplier sells, as its catalogue says. */
export interface SupplierProduct {
  /** What we call it when we buy it there. */
  sku: string;
  name: string;
  /** Under what it is listed there; empty where it is under nothing. */
  group: string;
  /** What it takes for one; null where that can't be read. */
  cost: CostMoney | null;
  /** Whether it sells it at present, its stock and its hours aside. */
  sellable: boolean;
  /** How many it has; null where it has no end of them, or does not tell. */
  stock: number | null;
  /** Whether a player may get it once a day only. */
  oncePerDay: boolean;
  /** When it is not sold: times of day as `hh:mm` in a time zone; `to` may be on the next day. Null for never. */
  cutOff: { from: string; to: string; zone: string } | null;
  /** What it says to those who buy it. */
  note: string | null;
  /**
   * What the player must look like, as `readPattern` keeps it: written as the offer's template says, or else as the user
   * and behind one space the server. Absent or null where it does not tell.
   */
  playerPattern?: string | null;
}

/** All that a supplier sells, as it lists it: what it lists twice is there twice. */
export type CatalogueReading = { known: true; products: SupplierProduct[] } | Unavailable;

/** One thing that a supplier sells; null where it lists none of the name. */
export type ProductReading = { known: true; product: SupplierProduct | null } | Unavailable;

/** How a supplier tells what it sells. */
export interface Catalogue<Settings = unknown> {
  /** How long after one reading the supplier allows the next; 0 for no limit. */
  readonly minGapMs: number;
  /** The same for reading one product, which has nothing to do with the whole. */
  readonly productGapMs: number;
  /** Whether that gap is a courtesy of ours, which an operator may pass over: no limit that the vendor documents. */
  readonly isGapOurs?: boolean;
  read(settings: Settings): Promise<CatalogueReading>;
  readOne(settings: Settings, sku: string): Promise<ProductReading>;
}

/** A purchase as a supplier lists it. It has at least one of its names. */
export interface ListedPurchase {
  /** Ours. */
  reference: string | null;
  supplierReference: string | null;
  /** What became of it; null where that is not told, or nothing proves it. */
  state: 'succeeded' | 'failed' | 'processing' | null;
  sku: string | null;
  /** As the supplier writes it. */
  player: string | null;
  /** By the supplier's clock. */
  boughtAt: Date | null;
  cost: CostMoney | null;
}

/** A page of what a supplier sold us. */
export interface PurchasesPage {
  known: true;
  purchases: ListedPurchase[];
  /** Entries besides those that can't be read. */
  unreadable: number;
  /** What the supplier calls the first of those that it names. */
  unreadableName?: string | null;
  /** By what the next page is asked for; null behind the last. */
  next: string | null;
}

export type PurchasesReading = PurchasesPage | Unavailable;

/** How a supplier lists what it sold us. */
export interface PurchaseList<Settings = unknown> {
  /**
   * @param since purchases that it took at this moment or later, by its own clock.
   * @param page what the page before named as the next; null for the first.
   * @returns null where this supplier has no list, although others of its kind do.
   */
  read(settings: Settings, since: Date, page: string | null): Promise<PurchasesReading | null>;
}

/** When a supplier may be asked what became of an attempt. */
interface InquiryTiming {
  /** How long after the send it is asked first. */
  readonly firstMs: number;
  /** How long it must have been left alone about an attempt before it is called about it again; 0 for no limit. */
  readonly minGapMs: number;
  /** How old an attempt may be that it is asked about; null for no limit. */
  readonly maxAgeMs: number | null;
}

/** How a supplier tells what became of an attempt, and does nothing else. */
export interface ReadingInquiry<Settings = unknown> extends InquiryTiming {
  readonly mayBuy: false;
  /**
   * Whether its word that it never saw a reference is enough to send that again after the quiet period, where it does not
   * tell a repeated send from another purchase.
   */
  readonly isNotFoundCertain?: true;
  ask(settings: Settings, attempt: NamedAttempt): Promise<SupplierOutcome>;
}

/** How a supplier is asked by sending the same again, which buys what never arrived: it is claimed as a send is. */
export interface BuyingInquiry<Settings = unknown> extends InquiryTiming {
  readonly mayBuy: true;
  /** Whether it tells of a purchase that it has once told to have made, and buys none, while that is not older than `maxAgeMs`. */
  readonly tellsOfSales?: true;
  ask(settings: Settings, attempt: Attempt): Promise<SupplierOutcome>;
}

export type Inquiry<Settings = unknown> = ReadingInquiry<Settings> | BuyingInquiry<Settings>;

/**
 * A kind of supplier. `Settings` are those it reads from what is stored and gets back with each call. No call throws for
 * what a supplier or the network does: that is an outcome.
 */
export interface SupplierAdapter<Settings = unknown> {
  /** Whether sending a reference again buys nothing a second time; where not, a unit is never sent twice. */
  readonly deduplicates: boolean;
  /** @throws BAD_REQUEST, in words for the operator and without any credential, for settings that it can't work with. */
  readSettings(stored: StoredSettings): Settings;
  /** Asks for one purchase. */
  send(settings: Settings, attempt: Attempt): Promise<SupplierOutcome>;
  /** How it can be asked what became of an attempt; null where it can't be. */
  readonly inquiry: Inquiry<Settings> | null;
  /**
   * How it is asked about an attempt for which it has told a name of its own, however old that is; absent where that makes
   * no difference.
   */
  readonly inquiryByTheirs?: ReadingInquiry<Settings> & { maxAgeMs: null };
  /** What it calls us with; absent where it never does. */
  readonly callbacks?: CallbackReader<Settings>;
  /** Whether these prove what they say; absent where that is so, or not so, whatever the settings are. */
  provesCallbacks?(settings: Settings): boolean;
  /** Asks what we have left there. */
  balance(settings: Settings): Promise<SupplierBalance>;
  /** What it sold us; absent where it does not list that. */
  readonly purchases?: PurchaseList<Settings>;
  /** What it sells; absent where it does not tell. */
  readonly catalogue?: Catalogue<Settings>;
  /** Reads as little of the catalogue as shows that it can be read; absent where there is none. */
  probeCatalogue?(settings: Settings): Promise<CatalogueProbe>;
}

/**
 * Why nobody would notice that a supplier contradicts itself, in words behind its code; null where it would be noticed, or
 * no setting changes it. @param readSettings opens them; called only where they decide.
 */
export const whyUnnoticed = <Settings>(
  adapter: SupplierAdapter<Settings>,
  readSettings: () => Settings,
): string | null =>
  adapter.inquiry?.mayBuy === true && adapter.provesCallbacks?.(readSettings()) === false
    ? 'can’t be asked about what it refused, or sold long ago, and nothing proves what it calls us with: that it sells the one ' +
      'after all, or takes the other back, is not noticed. Set its webhook_secret'
    : null;

/** How a supplier is asked about an attempt. @param isNamed whether it has a name of its own for it. */
export const inquiryAbout = <Settings>(
  { inquiry, inquiryByTheirs }: Pick<SupplierAdapter<Settings>, 'inquiry' | 'inquiryByTheirs'>,
  isNamed: boolean,
): Inquiry<Settings> | null => (isNamed && inquiryByTheirs) || inquiry;
