import { AppError } from '../../../core/errors.js';
import { parseBaht, type Satang } from '../../../core/money.js';
import { readStatementFormat } from '../../statements/statement-format.js';
import type { ChannelAdapter, ChannelDescription, ChannelSettings, StoredChannelSettings } from '../channel-adapter.js';
import { isBillerId, isBillReference, isPromptPayId, promptPayPayload, type Payee } from './promptpay-qr.js';

type PromptPaySettings = ChannelSettings & { payee: Payee };
type Options = Record<string, string>;

const MAX = parseBaht('700000.00') ?? 0n;
const MIN = { amount: parseBaht('100.00') ?? 0n, reference: parseBaht('1.00') ?? 0n };

const text = (name: string, help: string): ChannelDescription['options'][number] => ({ name, values: null, help });

/** QR codes that all Thai banking apps pay. It calls nobody: statements report the payments. */
export class PromptPayChannel implements ChannelAdapter<PromptPaySettings> {
  static readonly description: ChannelDescription = {
    adapter: 'promptpay',
    name: 'PromptPay',
    baseUrl: null,
    credentials: [],
    options: [
      text(
        'promptpay_id',
        'mobile number (10 digits), tax id (13) or e-wallet (15); payments are recognized by their amount',
      ),
      text('biller_id', 'biller id (15 digits) in place of promptpay_id; payments are recognized by their reference'),
      text('second_reference', 'second reference of a biller, if the bank wants one'),
      text('account', 'the account that is paid, as bank code and number: 004:0123456789'),
      text('spread', 'how far above the amount a payment may be, in percent (default 2)'),
      text('class', 'remainder by 11 of all amounts to pay (default 3); another one after a restore'),
      { name: 'statement', values: ['kbiz'], help: 'a known layout of statements; columns may correct it' },
      text('columns', 'columns of statements, such as date=Date;time=Time;text=Details;in=Deposit;balance=Balance'),
      { name: 'reference_unique', values: ['true', 'false'], help: 'whether no two lines have one reference' },
      text('ignore', 'texts of lines that are no payments, separated by ;'),
    ],
  };

  readSettings({ options }: StoredChannelSettings): PromptPaySettings {
    const payee = readPayee(options);
    const recognizedBy = 'billerId' in payee ? 'reference' : 'amount';
    return {
      payee,
      recognizedBy,
      min: MIN[recognizedBy],
      max: MAX,
      spread: wholeNumber(options, 'spread', 2, 1, 50),
      amountClass: wholeNumber(options, 'class', 3, 0, 10),
      account: readAccount(options),
      payeeId: 'billerId' in payee ? payee.billerId : payee.promptpayId,
      statement: readStatementFormat(options, recognizedBy),
      ignored: (options.ignore ?? '')
        .split(';')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
    };
  }

  qrPayload({ payee }: PromptPaySettings, amountToPay: Satang, reference: string): string {
    return promptPayPayload(payee, amountToPay, reference);
  }
}

const refuse = (words: string): never => {
  throw new AppError('BAD_REQUEST', words);
};

function readPayee({ promptpay_id, biller_id, second_reference }: Options): Payee {
  if ((promptpay_id === undefined) === (biller_id === undefined)) {
    return refuse('the adapter promptpay requires one of the options promptpay_id and biller_id');
  }
  if (second_reference !== undefined && (biller_id === undefined || !isBillReference(second_reference))) {
    return refuse('the option second_reference is for a biller_id, with 1 to 20 capital letters and digits');
  }
  if (promptpay_id !== undefined) {
    if (!isPromptPayId(promptpay_id)) {
      return refuse(
        'the option promptpay_id must be a mobile number (0 and 9 digits), a tax id (13) or an e-wallet (15)',
      );
    }
    return { promptpayId: promptpay_id };
  }
  if (biller_id === undefined || !isBillerId(biller_id)) return refuse('the option biller_id must have 15 digits');
  return { billerId: biller_id, secondReference: second_reference ?? null };
}

function readAccount({ account }: Options): string | null {
  if (account === undefined || /^\d{3}:\d{10,15}$/.test(account)) return account ?? null;
  return refuse('the option account must be a bank code, : and the number, such as 004:0123456789');
}

function wholeNumber(options: Options, name: string, fallback: number, minimum: number, maximum: number): number {
  const given = options[name];
  if (given === undefined) return fallback;
  const value = /^\d{1,2}$/.test(given) ? Number(given) : NaN;
  if (value >= minimum && value <= maximum) return value;
  return refuse(`the option ${name} must be a whole number, ${minimum} to ${maximum}`);
}
