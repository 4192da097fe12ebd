import type { SupplierAdapter } from './supplier-adapter.js';

/** A setting that identifies us to a supplier, or a supplier to us. */
export interface CredentialField {
  name: string;
  /** Whether it is a secret, and not just a name. The service seals all credentials and never shows any. */
  secret: boolean;
  required: boolean;
  /** Where the operator finds the credential, or what it does. */
  help: string;
  /**
   * Set if another value means another account, which does not know the earlier sends. If a secret is the only credential, a new
   * secret means another account, unless the operator says that the account is the same.
   */
  isAccount?: true;
  /** The problem of a value, as the end of a sentence that begins with the name; null for none. Never contains the value. */
  problemOf?: (value: string) => string | null;
}

/** A setting of an adapter that is not a credential. */
export interface OptionField {
  name: string;
  /** The allowed values; null for any text. */
  values: readonly string[] | null;
  help: string;
  /** The default value of the option. Set only if another value means another account. */
  ofAccount?: string;
}

/**
 * An ability of an adapter.
 * - `deduplication`: the supplier sells nothing for a repeated reference.
 * - `inquiry`: the supplier reports the result of a reference.
 * - `balance`: the supplier reports our balance.
 * - `catalogue`: the supplier lists the products that it sells.
 * - `callbacks`: the supplier calls us when a purchase has ended.
 * - `purchases`: the supplier lists our purchases.
 * - `price_guard`: the supplier refuses a purchase that costs more than we allow.
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

/** An adapter's description of itself. It is the same for all suppliers of the adapter. */
export interface AdapterDescription {
  /** The adapter's name in the settings of suppliers. */
  readonly adapter: string;
  /** The name of the supplier or the protocol, for people. */
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  readonly options: readonly OptionField[];
  /**
   * The kind of references of attempts. `unit`: the unit's reference, to which the second and later attempts append their numbers.
   * `random`: a reference that is never used again, not even after a restore of an older database.
   */
  readonly references: 'unit' | 'random';
  /**
   * False if further calls do no harm: after a refusal for our credentials or deposit, the unit waits and workers send it again.
   * Otherwise, such a fault pauses the supplier until its balance shows that the fault is gone.
   */
  readonly isPausedByFaults?: false;
  /** The supplier's URL; null if only the operator knows it. */
  readonly baseUrl: string | null;
  /** The supplier's currency; null if its answers contain the currency. */
  readonly currency: string | null;
}

/** The description, with the capabilities that follow from the adapter's members. */
export interface DescribedAdapter extends AdapterDescription {
  readonly capabilities: readonly Capability[];
}
