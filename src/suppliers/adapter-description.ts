import type { SupplierAdapter } from './supplier-adapter.js';

/** A setting by which a supplier knows us. */
export interface CredentialField {
  name: string;
  /** Whether it is a secret, and not just a name. The service seals all credentials and never shows any. */
  secret: boolean;
  required: boolean;
  /** Says where the operator finds it, or what it does. */
  help: string;
  /**
   * Whether another value means another account, which knows nothing of earlier sends. Where a secret is the only credential,
   * a new secret means another account unless the operator says that the account is the same.
   */
  isAccount?: true;
  /** The problem of a value, as the end of a sentence that begins with the name; null for none. Never contains the value. */
  problemOf?: (value: string) => string | null;
}

/** A setting that is no secret. */
export interface OptionField {
  name: string;
  /** The allowed values; null for any text. */
  values: readonly string[] | null;
  help: string;
  /** Set if another value means another account: the default value of the option. */
  ofAccount?: string;
}

/**
 * An ability of an adapter.
 * - `deduplication`: a repeated reference buys nothing a second time.
 * - `inquiry`: it reports the result of a reference.
 * - `balance`: it reports our balance.
 * - `catalogue`: it lists the products that it sells.
 * - `callbacks`: it calls us when a purchase has ended.
 * - `purchases`: it lists our purchases.
 * - `price_guard`: it refuses a purchase that costs more than we allow.
 */
export type Capability =
  'deduplication' | 'inquiry' | 'balance' | 'catalogue' | 'callbacks' | 'purchases' | 'price_guard';

const CAPABILITIES: Record<Capability, (adapter: SupplierAdapter) => boolean> = {
  deduplication: ({ deduplicates }) => deduplicates,
  inquiry: ({ inquiry }) => inquiry !== null,
  balance: () => true,
  catalogue: ({ catalogue }) => catalogue !== undefined,
  callbacks: ({ callbacks }) => callbacks !== undefined,
  purchases: ({ purchases }) => purchases !== undefined,
  price_guard: ({ guardsPrice }) => guardsPrice === true,
};

/** Finds the capabilities of an adapter from its members. */
export const capabilitiesOf = (adapter: SupplierAdapter): Capability[] =>
  (Object.keys(CAPABILITIES) as Capability[]).filter((capability) => CAPABILITIES[capability](adapter));

/** An adapter's description of itself, which needs no supplier. */
export interface AdapterDescription {
  /** Its name in the settings of suppliers. */
  readonly adapter: string;
  /** The name of the supplier or the protocol, for people. */
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  readonly options: readonly OptionField[];
  /**
   * The kind of references that attempts get there. `unit`: the unit's reference, with the attempt's number from the second on.
   * `random`: a reference that never comes again, not even after a restore of the database from an older copy.
   */
  readonly references: 'unit' | 'random';
  /**
   * False where another call costs nothing: after a refusal for our credentials or deposit, the unit waits and workers send it
   * again. Elsewhere the service pauses the supplier until its balance shows that the fault is gone.
   */
  readonly isPausedByFaults?: false;
  /** The supplier's URL; null where only the operator knows it. */
  readonly baseUrl: string | null;
  /** The supplier's currency; null where its answers name one. */
  readonly currency: string | null;
}

/** The description, with the capabilities that the adapter's members show. */
export interface DescribedAdapter extends AdapterDescription {
  readonly capabilities: readonly Capability[];
}
