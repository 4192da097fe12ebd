import type { OptionField } from '../../suppliers/adapter-description.js';
import type { Satang } from '../../core/money.js';
import type { StatementFormat } from '../statements/statement-format.js';

/** An adapter's description of itself. */
export interface ChannelDescription {
  /** Its name in the settings of channels. */
  readonly adapter: string;
  /** The name of the scheme or the vendor, for people. */
  readonly name: string;
  readonly options: readonly OptionField[];
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
  /** How far above its amount a deposit may be dealt another one, in percent. */
  spread: number;
  /** The remainder by 11 of all dealt amounts, in satang. */
  amountClass: number;
  /** The bank account that is paid; null where the operator did not name it. */
  account: string | null;
  /** The id that payers see in the QR code. No two channels may have one account or one id. */
  payeeId: string;
  /** How to read its statements; null where none are imported. */
  statement: StatementFormat | null;
  /** Texts of lines that are no payments of merchants. */
  ignored: readonly string[];
}

/** Makes the QR codes of a scheme. Readers are pure. */
export interface ChannelAdapter<Settings extends ChannelSettings = ChannelSettings> {
  readonly description: ChannelDescription;
  /** @throws BAD_REQUEST with a sentence about the first wrong option. */
  readSettings(options: Record<string, string>): Settings;
  /** The text of the QR code. */
  qrPayload(settings: Settings, amountToPay: Satang, reference: string): string;
}
