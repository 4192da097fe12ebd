/** What a supplier knows us by. */
export interface CredentialField {
  name: string;
  /** Whether it must be kept from others; all of them are sealed, and none is ever shown. */
  secret: boolean;
  required: boolean;
  /** Where the operator finds it, or what it is for. */
  help: string;
  /**
   * Whether another value means another account, which knows nothing of what was sent before. So does a secret that is all by
   * which a supplier knows us, unless the operator says that it is new and the account is not.
   */
  isAccount?: true;
  /** Why a text can't be one, to be read behind its name, and never with the text in it; null when it can. */
  problemOf?: (value: string) => string | null;
}

/** A setting that is no secret. */
export interface OptionField {
  name: string;
  /** The only ones it may have; null for any text. */
  values: readonly string[] | null;
  help: string;
  /** What it is where it was not given, of an option whose other value means another account, as of credentials. */
  ofAccount?: string;
}

/**
 * What an adapter can do.
 * - `deduplication`: sending a reference again buys nothing a second time.
 * - `inquiry`: it can be asked what became of a reference.
 * - `balance`: it can tell what we have left there.
 * - `catalogue`: it can tell what is sold there.
 * - `callbacks`: it calls us when a purchase has ended.
 * - `purchases`: it can list what it sold us.
 * - `price_guard`: it can be told what a purchase may cost at most.
 */
export type Capability =
  'deduplication' | 'inquiry' | 'balance' | 'catalogue' | 'callbacks' | 'purchases' | 'price_guard';

/** What an adapter says of itself, before there is a supplier. */
export interface AdapterDescription {
  /** Its name in the settings of suppliers. */
  readonly adapter: string;
  /** What people call the vendor or the protocol. */
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  readonly options: readonly OptionField[];
  readonly capabilities: readonly Capability[];
  /**
   * How attempts are named there: after the unit, which has the same name for ever; or at random, so that no name comes
   * again, not even after the database was restored from an older copy.
   */
  readonly references: 'unit' | 'random';
  /**
   * False where nothing is lost by asking again: then units that are refused for our credentials or deposit wait and are
   * sent again by themselves. Elsewhere the supplier is paused until its balance shows that this has changed.
   */
  readonly isPausedByFaults?: false;
  /** The vendor's own; null where only the operator knows it. */
  readonly baseUrl: string | null;
  /** What the vendor reckons in; null where its answers tell. */
  readonly currency: string | null;
}
