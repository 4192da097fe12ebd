import type { CredentialField, OptionField } from '../../suppliers/adapter-description.js';
import type { RawCallback } from '../../suppliers/supplier-adapter.js';
import type { Satang } from '../../core/money.js';
import type { MiniQr } from '../slips/mini-qr.js';
import type { StatementFormat } from '../statements/statement-format.js';

/** An adapter's description of itself. */
export interface ChannelDescription {
  /** Its name in the settings of channels. */
  readonly adapter: string;
  /** The name of the scheme or the vendor, for people. */
  readonly name: string;
  readonly credentials: readonly CredentialField[];
  readonly options: readonly OptionField[];
  /** The vendor's URL; null for a scheme without a vendor. */
  readonly baseUrl: string | null;
}

/** A channel's settings as the operator gave them. */
export interface StoredChannelSettings {
  baseUrl: string | null;
  /** The credentials by name: all required ones, and the optional ones that the operator gave. */
  credentials: Record<string, string>;
  options: Record<string, string>;
}

/** The settings of a channel, read by its adapter. */
export interface ChannelSettings {
  /**
   * How a payment is recognized. `reference`: the payment carries our reference. `amount`: each deposit gets an amount of
   * its own, because the payment carries nothing else.
   */
  recognizedBy: 'reference' | 'amount';
  /** The default limits of a deposit. */
  min: Satang;
  max: Satang;
  /** How far a dealt amount may be above the deposit's amount, in percent. `amountsToDeal` has the bounds in baht. */
  spread: number;
  /** The remainder of all dealt amounts, in satang, when divided by 11. */
  amountClass: number;
  /** The account that is paid; null where the operator did not name it. */
  account: string | null;
  /** The id that payers see in the QR code; null if the vendor chooses it. No two channels may have one account or one id. */
  payeeId: string | null;
  /** Whether its payments are real money. Keys of a vendor's test mode move none. */
  isLive: boolean;
  /** How to read its statements; null where none are imported. */
  statement: StatementFormat | null;
  /** Texts of lines that are no payments of merchants. */
  ignored: readonly string[];
  /** Whether merchants may present slips. */
  takesSlips: boolean;
  /** How much slips alone may credit to a merchant, without a statement or a person; null for no limit. */
  unconfirmedLimit: Satang | null;
}

/** A deposit for which the vendor makes a QR code. */
export interface OfferedDeposit {
  depositNumber: string;
  merchantId: number;
  referenceId: string;
  amountToPay: Satang;
  expiresAt: Date;
}

/** The time for all calls for which a merchant waits. Proxies wait 8.5 s for the API. */
export const MERCHANT_WAIT_MS = 6_000;

/** Why a call has no result. It proves nothing about payments. */
export interface NoAnswer {
  kind: 'unknown';
  detail: string;
  /**
   * `credentials`: the vendor refuses ours. `rate`: we call too often. `configuration`: the vendor refuses our request, or
   * answers about its other mode, live or test.
   */
  fault?: 'credentials' | 'rate' | 'configuration';
}

/** A QR code that the vendor has made. It has a text, or only an image: a data URL. */
export interface Created {
  kind: 'created';
  qrPayload: string | null;
  qrImage: string | null;
  /** The vendor's id of the payment to come; null if no inquiry about it is possible. */
  paymentId: string | null;
  /** When the vendor ends the offer, if it says so. */
  expiresAt: Date | null;
}

/** A payment as the vendor reports it. */
export interface ChargedPayment {
  /** The vendor's id of the payment. */
  chargeRef: string;
  amount: Satang;
  currency: string;
  paidAt: Date;
  /** The names of deposits that it carries: our references, or deposit numbers. */
  references: string[];
  /** The merchant that it names, if it does. */
  merchantId: number | null;
  /** How much of it went back to the payer. */
  refunded: Satang;
}

/**
 * The vendor's answer about a payment.
 * - `open`: it is not paid yet.
 * - `ended`: the offer has ended without a payment.
 * - `reversed`: if it was ever paid, all of it went back.
 */
export type PaymentReading =
  { kind: 'paid'; payment: ChargedPayment } | { kind: 'open' | 'ended' | 'reversed' } | NoAnswer;

/** A reading of a payment, with the vendor's id of the payment. */
export interface ChargeReading {
  paymentId: string;
  reading: PaymentReading;
}

/** A page of payments that the vendor lists. `next`: the cursor of the next page; null on the last one. */
export interface PaymentsPage {
  kind: 'page';
  payments: ChargeReading[];
  /** Whether payments may be older than the channel. Then a payment counts only if it is known here, or names a deposit. */
  isOfAnyAge?: true;
  next: string | null;
}

/**
 * The content of a callback. It books nothing: it only leads to an inquiry.
 * - `refused`: it does not prove that it comes from the vendor. The answer is 401.
 */
export type ChannelCallback =
  { kind: 'ping' } | { kind: 'refused' | 'unreadable'; detail: string } | { kind: 'about'; paymentId: string };

/** A transfer to the channel's account, as the sending bank reports it. */
export interface SlipPayment {
  kind: 'paid';
  amount: Satang;
  paidAt: Date;
  /** The references that the payer's bank sent. */
  references: readonly string[];
}

/**
 * The answer of a slip service.
 * - `unknown`: the answer decides nothing, for example because the bank does not know the transfer yet.
 * - `unclear`: the answer contradicts itself or the request.
 * - `refused`: our key, our address or our quota is refused, so that no further call makes sense.
 */
export type SlipReading =
  SlipPayment | { kind: 'wrong_receiver' } | { kind: 'unknown' | 'unclear' | 'refused'; detail: string };

/** A setting that works, or the reason why it does not. */
export interface ChannelCheck {
  name: string;
  ok: boolean;
  detail: string;
}

/**
 * Connects a scheme or a vendor. Methods that call a vendor never throw for a fault of the vendor or the network, and must never
 * run within a transaction. An adapter has either `qrPayload`, for codes that we make ourselves, or `create`.
 */
export interface ChannelAdapter<Settings extends ChannelSettings = ChannelSettings> {
  /** @throws BAD_REQUEST with a sentence about the first wrong setting. The sentence contains no credential. */
  readSettings(stored: StoredChannelSettings): Settings;
  /** The text of the QR code. Calls nobody. */
  qrPayload?(settings: Settings, amountToPay: Satang, reference: string): string;
  /** Has the vendor make a QR code. */
  create?(settings: Settings, deposit: OfferedDeposit): Promise<Created | NoAnswer>;
  /**
   * Inquires about one payment. While the deposit is offered, inquiries come `firstMs` after its QR code was made, and
   * then at doubling intervals of at most `maxGapMs`. `nextInquiry` has the later times.
   */
  readonly inquiry?: {
    readonly firstMs: number;
    readonly maxGapMs: number;
    query(settings: Settings, paymentId: string): Promise<PaymentReading>;
  };
  /** Lists the payments that were made or changed since a moment. */
  readonly list?: {
    read(settings: Settings, since: Date, page: string | null): Promise<PaymentsPage | NoAnswer>;
  };
  /** Reads a callback. Calls nobody, reads no clock and never throws. */
  readonly callbacks?: { read(settings: Settings, raw: RawCallback): ChannelCallback };
  /** Ends an offer, as far as the vendor can. */
  cancel?(settings: Settings, paymentId: string): Promise<void>;
  /** Verifies slips at a service, if the settings have one. */
  readonly slips?: {
    verify(settings: Settings, slip: MiniQr): Promise<SlipReading>;
    /** Whether the service accepts us. */
    isAccepted(settings: Settings): Promise<boolean>;
  };
  /** Checks settings by calls that create nothing. */
  test?(settings: Settings): Promise<ChannelCheck[]>;
}
