export const DIALECTS = ['kbiz', 'plain', 'bill'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** What to generate. */
export interface Order {
  readonly seed: string;
  /** How many payments of merchants. */
  readonly payments: number;
  readonly dialect: Dialect;
}

/** What becomes of a deposit. `wrong_amount` is short or over; `clock` is an error of the bank's clock by two minutes. */
export type Fate = 'exact' | 'late' | 'cancelled' | 'wrong_amount' | 'twice' | 'clock' | 'mangled' | 'unpaid';
export type Kind = Exclude<Fate, 'unpaid'> | 'stranger' | 'interest' | 'own_transfer' | 'out';

/** A deposit that was made, with amounts in satang and times in milliseconds. */
export interface Created {
  readonly number: string;
  /** The amount of the request. */
  readonly requested: number;
  /** The amount to pay. */
  readonly amount: number;
  /** Our reference, which a biller's statement shows; null if the QR code carries none. */
  readonly reference: string | null;
  readonly createdMs: number;
  readonly expiresMs: number;
  readonly heldUntilMs: number;
}

/** A movement of an account. */
export interface Movement {
  /** By the bank's clock. */
  readonly atMs: number;
  /** Satang; a negative amount left the account. */
  readonly amount: number;
  readonly text: string;
  readonly details: string;
  readonly reference: string;
  readonly kind: Kind;
  /** The deposit that the payer meant. */
  readonly deposit: Created | null;
}

/** Texts that the channels ignore. */
export const INTEREST = 'ดอกเบี้ยเงินฝาก';
export const OWN_TRANSFER = 'โอนเงินระหว่างบัญชีตนเอง';

/** The size of one of `count` equal parts of `total`; the parts add up to it. */
export const partOf = (total: number, index: number, count: number): number =>
  Math.floor((total * (index + 1)) / count) - Math.floor((total * index) / count);
