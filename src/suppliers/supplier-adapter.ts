import type { CostMoney } from '../core/cost-money.js';
import type { SupplierOutcome } from './supplier-outcome.js';

/** One unit to buy. `reference` is that of the attempt: the same each time that the attempt is sent. */
export interface TopUp {
  reference: string;
  sku: string;
  userId: string;
  serverId: string | null;
  characterId: string | null;
}

/** A supplier's settings as the operator gave them, at the moment of the claim. */
export interface StoredSettings {
  baseUrl: string;
  /** By name: all that the adapter requires, and of the others those that were given. */
  credentials: Record<string, string>;
  /** By name, those that were given. */
  options: Record<string, string>;
  timeoutMs: number;
}

/**
 * Why a supplier did not tell what it was asked, and whether it was reached and answers us: not every supplier tells
 * everything. `fault` says what is wrong, where that is known: `settings` are such that it could not even be asked.
 */
export interface Unavailable {
  known: false;
  detail: string;
  reached: boolean;
  fault?: 'settings' | 'credentials' | 'rate';
}

/** What we have left at a supplier, as it writes it. */
export type SupplierBalance = { known: true; amount: CostMoney } | Unavailable;

/** Whether a supplier's catalogue can be read. */
export type CatalogueProbe = { known: true } | Unavailable;

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
  send(settings: Settings, topUp: TopUp): Promise<SupplierOutcome>;
  /** Asks what became of a reference; absent where the supplier cannot be asked. */
  inquire?(settings: Settings, reference: string): Promise<SupplierOutcome>;
  /** Asks what we have left there. */
  balance(settings: Settings): Promise<SupplierBalance>;
  /** Reads as little of the catalogue as shows that it can be read; absent where there is none. */
  probeCatalogue?(settings: Settings): Promise<CatalogueProbe>;
}
