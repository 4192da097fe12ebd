import { refuse } from '../../../core/errors.js';
import { present } from '../../../core/invariant.js';
import { checkedBaht, parseBaht, type Satang } from '../../../core/money.js';
import { readStatementFormat } from '../../statements/statement-format.js';
import type { AdapterHttp } from '../../../suppliers/adapter-http.js';
import { EasySlip, type EasySlipSettings } from '../../slips/easyslip.js';
import type { MiniQr } from '../../slips/mini-qr.js';
import type {
  ChannelAdapter,
  ChannelCheck,
  ChannelDescription,
  ChannelSettings,
  SlipReading,
  StoredChannelSettings,
} from '../channel-adapter.js';
import { isBillerId, isBillReference, isPromptPayId, promptPayPayload, type Payee } from './promptpay-qr.js';

type PromptPaySettings = ChannelSettings & { payee: Payee; slipService: EasySlipSettings | null };
type Options = Record<string, string>;

const MAX = checkedBaht('700000.00');
const UNCONFIRMED_LIMIT = '50000.00';
const MIN = { amount: checkedBaht('100.00'), reference: checkedBaht('1.00') };

const text = (name: string, help: string): ChannelDescription['options'][number] => ({ name, values: null, help });

/** QR codes that all Thai banking apps pay. Statements report the payments. At a slip service, slips may report them earlier. */
export class PromptPayChannel implements ChannelAdapter<PromptPaySettings> {
  static readonly description: ChannelDescription = {
    adapter: 'promptpay',
    name: 'PromptPay',
    baseUrl: null,
    credentials: [{ name: 'slip_key', secret: true, required: false, help: 'key of the slip service' }],
    options: [
      text(
        'promptpay_id',
        'mobile number (10 digits), tax id (13) or e-wallet (15); payments are recognized by their amount',
      ),
      text('biller_id', 'biller id (15 digits) in place of promptpay_id; payments are recognized by their reference'),
      text('second_reference', 'second reference of a biller, if the bank wants one'),
      text('account', 'the account that is paid, as bank code and number: 004:0123456789'),
      text(
        'spread',
        'how far above the deposit’s amount the amount to pay may be, in percent, 1 to 50 (default 2); at least 4.99, at most 49.99 THB',
      ),
      text(
        'class',
        'remainder by 11 of all amounts to pay, in satang, 0 to 10 (default 3); set another one after a restore of the database',
      ),
      { name: 'statement', values: ['kbiz'], help: 'a known layout of statements; columns must name what it lacks' },
      text('columns', 'columns of statements, such as date=Date;time=Time;text=Details;in=Deposit;balance=Balance'),
      { name: 'reference_unique', values: ['true', 'false'], help: 'true if no two lines have the same reference' },
      text('ignore', 'texts of lines that are no payments, separated by ;'),
      {
        name: 'slip_service',
        values: ['easyslip'],
        help: 'the service that confirms slips of payers; needs account and slip_key',
      },
      text(
        'unconfirmed_limit',
        `how much slips alone may credit to a merchant before statements confirm it (default ${UNCONFIRMED_LIMIT}), or off`,
      ),
    ],
  };

  readonly slips: { verify: SlipCall<[MiniQr], SlipReading>; isAccepted: SlipCall<[], boolean> };

  constructor(http: AdapterHttp) {
    const service = new EasySlip(http);
    this.slips = {
      verify: (settings, slip) => service.verify(slipServiceOf(settings), slip),
      isAccepted: (settings) => service.isAccepted(slipServiceOf(settings)),
    };
  }

  readSettings(stored: StoredChannelSettings): PromptPaySettings {
    const { options } = stored;
    const payee = readPayee(options);
    const slipService = readSlipService(stored, payee);
    const recognizedBy = 'billerId' in payee ? 'reference' : 'amount';
    return {
      payee,
      recognizedBy,
      min: MIN[recognizedBy],
      max: MAX,
      spread: wholeNumber(options, 'spread', 2, 1, 50),
      amountClass: wholeNumber(options, 'class', 3, 0, 10),
      account: readAccount(options),
      payeeId: payeeIdOf(payee),
      isLive: true,
      statement: readStatementFormat(options, recognizedBy),
      ignored: (options.ignore ?? '')
        .split(';')
        .map((each) => each.trim())
        .filter((each) => each !== ''),
      slipService,
      takesSlips: slipService !== null,
      unconfirmedLimit: readLimit(options),
    };
  }

  async test(settings: PromptPaySettings): Promise<ChannelCheck[]> {
    if (!settings.takesSlips) return [];
    const ok = await this.slips.isAccepted(settings);
    const detail = ok ? 'the slip service accepts the key' : 'the slip service refuses the key, or does not answer';
    return [{ name: 'slips', ok, detail }];
  }

  qrPayload({ payee }: PromptPaySettings, amountToPay: Satang, reference: string): string {
    return promptPayPayload(payee, amountToPay, reference);
  }
}

type SlipCall<Given extends unknown[], Answer> = (settings: PromptPaySettings, ...given: Given) => Promise<Answer>;

const slipServiceOf = ({ slipService }: PromptPaySettings): EasySlipSettings =>
  present(slipService, 'only channels that take slips verify them');

function readPayee({ promptpay_id, biller_id, second_reference }: Options): Payee {
  if ((promptpay_id === undefined) === (biller_id === undefined)) {
    return refuse('the adapter promptpay requires exactly one of the options promptpay_id and biller_id');
  }
  if (second_reference !== undefined && (biller_id === undefined || !isBillReference(second_reference))) {
    return refuse(
      'the option second_reference needs the option biller_id, and must have 1 to 20 capital letters and digits',
    );
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

const payeeIdOf = (payee: Payee): string => ('billerId' in payee ? payee.billerId : payee.promptpayId);

function readAccount({ account }: Options): string | null {
  if (account === undefined || /^\d{3}:\d{10,15}$/.test(account)) return account ?? null;
  return refuse('the option account must be a bank code, : and the number, such as 004:0123456789');
}

/**
 * A slip counts only if it names our bank, and our account or the id in its place. So the slip service needs the option account.
 * Otherwise a slip of a payment to another account would credit a merchant.
 */
function readSlipService(
  { baseUrl, credentials, options }: StoredChannelSettings,
  payee: Payee,
): EasySlipSettings | null {
  if (options.slip_service === undefined) return null;
  const [bank, account] = readAccount(options)?.split(':') ?? [];
  if (bank === undefined || account === undefined) return refuse('the option slip_service needs the option account');
  const { slip_key: key } = credentials;
  if (key === undefined) return refuse('the option slip_service needs the credential slip_key');
  return { baseUrl: baseUrl ?? EasySlip.baseUrl, key, receiver: { bank, account, payeeId: payeeIdOf(payee) } };
}

function readLimit({ unconfirmed_limit: limit = UNCONFIRMED_LIMIT }: Options): Satang | null {
  if (limit === 'off') return null;
  return parseBaht(limit) ?? refuse('the option unconfirmed_limit must be an amount such as 50000.00, or off');
}

function wholeNumber(options: Options, name: string, fallback: number, minimum: number, maximum: number): number {
  const text = options[name];
  if (text === undefined) return fallback;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  if (value >= minimum && value <= maximum) return value;
  return refuse(`the option ${name} must be a whole number, ${minimum} to ${maximum}`);
}
