import { formatBaht, type Satang } from '../../../core/money.js';
import { field, withCrc } from './tlv.js';

const CREDIT_TRANSFER = 'A000000677010111';
const BILL_PAYMENT = 'A000000677010112';

/** The payee: the PromptPay id of a person or company, or a biller, which gets a reference with each payment. */
export type Payee = { promptpayId: string } | { billerId: string; secondReference: string | null };

/** The sub-tag of a PromptPay id, by its length: mobile number, national or tax id, e-wallet. */
const ID_TAGS: Record<number, (id: string) => string> = {
  10: (mobile) => field('01', `0066${mobile.slice(1)}`),
  13: (taxId) => field('02', taxId),
  15: (wallet) => field('03', wallet),
};

export const isPromptPayId = (text: string): boolean => /^(0\d{9}|\d{13}|\d{15})$/.test(text);
export const isBillerId = (text: string): boolean => /^\d{15}$/.test(text);
export const isBillReference = (text: string): boolean => /^[A-Z0-9]{1,20}$/.test(text);

/** The text of a PromptPay QR code for one payment. Banking apps accept it for ever: nothing in it expires. */
export function promptPayPayload(payee: Payee, amount: Satang, reference: string): string {
  const fields = [
    field('00', '01'),
    field('01', '12'),
    payeeField(payee, reference),
    field('53', '764'),
    field('54', formatBaht(amount)),
    field('58', 'TH'),
  ];
  return withCrc(fields.join(''), '63');
}

function payeeField(payee: Payee, reference: string): string {
  if ('promptpayId' in payee) {
    const { promptpayId: id } = payee;
    return field('29', field('00', CREDIT_TRANSFER) + (ID_TAGS[id.length]?.(id) ?? ''));
  }
  const second = payee.secondReference === null ? '' : field('03', payee.secondReference);
  return field('30', field('00', BILL_PAYMENT) + field('01', payee.billerId) + field('02', reference) + second);
}
