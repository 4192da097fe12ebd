import { DAY_MS } from '../../../core/durations.js';
import { AppError } from '../../../core/errors.js';
import { parseExactJson } from '../../../core/exact-json.js';
import { checkedBaht } from '../../../core/money.js';
import { asMembers, callAndRead, shownText, type Members } from '../../../suppliers/adapter-answers.js';
import type { RawCallback } from '../../../suppliers/supplier-adapter.js';
import { describeFailure, type HttpAnswer, type AdapterHttp } from '../../../suppliers/adapter-http.js';
import {
  MERCHANT_WAIT_MS,
  type ChannelAdapter,
  type ChannelCallback,
  type ChannelCheck,
  type ChannelDescription,
  type ChannelSettings,
  type ChargeReading,
  type Created,
  type NoAnswer,
  type OfferedDeposit,
  type PaymentReading,
  type PaymentsPage,
  type StoredChannelSettings,
} from '../channel-adapter.js';
import {
  NAMELESS,
  idOf,
  momentOf,
  objectIn,
  readCallback,
  readCharge,
  readList,
  readRefunds,
  unknown,
  type RefundsPage,
} from './opn-data.js';

const VERSION = '2019-05-29';
const TIMEOUT_MS = 8_000;
const MAX_IMAGE_BYTES = 64 * 1024;
/**
 * Entries per page. A page of refunds is short, because each refund costs a call, and the page's payments are recorded only after
 * all of its calls.
 */
const PAGES = { charges: 100, refunds: 10 };
const MAX_LIST_BYTES = 4_000_000;
/** Opn lists charges by their creation. A code may be paid a day later, and the payment may be refunded after that. */
const LIST_BEFORE_MS = 2 * DAY_MS;
const MIN = checkedBaht('20.00');
const MAX = checkedBaht('150000.00');

interface OpnSettings extends ChannelSettings {
  baseUrl: string;
  publicKey: string;
  secretKey: string;
  webhookSecret: string | null;
}

const HOST = 'api.omise.co';

/** Other text would be decoded in part, or to an empty key that anybody can sign with. */
const isBase64 = (value: string): boolean => value !== '' && Buffer.from(value, 'base64').toString('base64') === value;

const key = (prefix: string) => ({
  secret: true,
  required: true,
  problemOf: (value: string) => (value.startsWith(prefix) ? null : `must begin with ${prefix}`),
});

/** The settings that are the same for each channel of Opn. Its charges name their deposits, so amounts need not be unique. */
const BY_REFERENCE: Omit<ChannelSettings, 'account' | 'isLive'> = {
  recognizedBy: 'reference',
  min: MIN,
  max: MAX,
  spread: 0,
  amountClass: 0,
  payeeId: null,
  statement: null,
  ignored: [],
  takesSlips: false,
  unconfirmedLimit: null,
};

const NO_REFUNDS: RefundsPage = { kind: 'refunds', charges: [], nameless: [], next: null };
const UNLISTED =
  'Opn lists no refunds: only callbacks, or channel sync with an earlier --since, find refunds of charges older than five days';

const listPath = (of: 'charges' | 'refunds', from: Date, offset: number): string => {
  const page = { limit: String(PAGES[of]), offset: String(offset), order: 'chronological', from: from.toISOString() };
  return `/${of}?${new URLSearchParams(page).toString()}`;
};

const leftMs = (until: number): number => Math.max(1, Math.ceil(until - performance.now()));

/** PromptPay by Opn (Omise): https://docs.omise.co/charges-api. A charge of a source has the QR code. */
export class OpnChannel implements ChannelAdapter<OpnSettings> {
  static readonly description: ChannelDescription = {
    adapter: 'opn',
    name: 'Opn (Omise), PromptPay',
    baseUrl: `https://${HOST}`,
    credentials: [
      { name: 'public_key', ...key('pkey_'), help: 'public key of the account' },
      { name: 'secret_key', ...key('skey_'), help: 'secret key of the account' },
      {
        name: 'webhook_secret',
        secret: true,
        required: false,
        problemOf: (value) => (isBase64(value) ? null : 'must be base64, as Opn shows it'),
        help: 'secret of webhooks, in base64; with it, forged callbacks are refused; a callback only leads to an inquiry',
      },
    ],
    options: [],
  };

  readonly inquiry = {
    firstMs: 60_000,
    maxGapMs: 600_000,
    query: async (settings: OpnSettings, id: string): Promise<PaymentReading> => {
      const answer = await this.charge(settings, id);
      return answer.kind === 'charge' ? answer.reading : answer;
    },
  };

  /** First the pages of Opn's charges, then the pages of its refunds, because a refund may be of a much older charge. */
  readonly list = {
    read: async (settings: OpnSettings, since: Date, page: string | null): Promise<PaymentsPage | NoAnswer> => {
      const [what = 'charges', offset = 0] = page?.split(' ') ?? [];
      if (what === 'refunds') return this.refundedCharges(settings, since, Number(offset));
      const from = new Date(since.getTime() - LIST_BEFORE_MS);
      const charges = await this.call(settings, 'GET', listPath('charges', from, Number(offset)), (answer) =>
        readList(answer, Number(offset), settings.isLive, new Date()),
      );
      if (charges.kind === 'unknown') return charges;
      return { ...charges, next: charges.next === null ? 'refunds 0' : `charges ${charges.next}` };
    },
  };

  readonly callbacks = {
    read: ({ webhookSecret }: OpnSettings, raw: RawCallback): ChannelCallback => readCallback(raw, webhookSecret),
  };

  constructor(private readonly http: AdapterHttp) {}

  readSettings({ baseUrl, credentials }: StoredChannelSettings): OpnSettings {
    const {
      public_key: publicKey = '',
      secret_key: secretKey = '',
      webhook_secret: webhookSecret = null,
    } = credentials;
    const isLive = !secretKey.startsWith('skey_test_');
    if (isLive === publicKey.startsWith('pkey_test_'))
      throw new AppError(
        'BAD_REQUEST',
        'the credentials public_key and secret_key must both be live, or both of the test mode',
      );
    // Wallets would be credited with money that nobody paid.
    if (!isLive && baseUrl !== null && new URL(baseUrl).hostname.replace(/\.$/, '') === HOST)
      throw new AppError(
        'BAD_REQUEST',
        'keys of the test mode move no real money, and deposits would be credited all the same: set the live keys',
      );
    return {
      ...BY_REFERENCE,
      baseUrl: baseUrl ?? '',
      publicKey,
      secretKey,
      webhookSecret,
      isLive,
      account: `opn:${publicKey}`,
    };
  }

  async create(settings: OpnSettings, deposit: OfferedDeposit): Promise<Created | NoAnswer> {
    const money = { amount: Number(deposit.amountToPay), currency: 'THB' };
    const until = performance.now() + MERCHANT_WAIT_MS;
    const source = await this.post(settings, '/sources', { type: 'promptpay', ...money }, until);
    if (!('id' in source)) return source;
    const { depositNumber, merchantId, referenceId } = deposit;
    const metadata = { deposit: depositNumber, merchant: String(merchantId), reference_id: referenceId };
    const body = { ...money, source: source.id, metadata };
    // Opn cuts off milliseconds.
    const expires_at = new Date(Math.ceil(deposit.expiresAt.getTime() / 1_000) * 1_000).toISOString();
    let charge = await this.post(settings, '/charges', { ...body, expires_at }, until);
    // Opn refused `expires_at`, so it made no charge, and a second call cannot make two. Its documents do not say whether
    // PromptPay charges accept an expiry.
    if (!('id' in charge) && charge.fault === 'configuration' && charge.detail.includes('expires_at'))
      charge = await this.post(settings, '/charges', body, until);
    return 'id' in charge ? this.read(settings, charge, until) : charge;
  }

  async cancel(settings: OpnSettings, paymentId: string): Promise<void> {
    await this.call(settings, 'POST', `/charges/${encodeURIComponent(paymentId)}/expire`, () => null);
  }

  async test(settings: OpnSettings): Promise<ChannelCheck[]> {
    const capability = await this.call(settings, 'GET', '/capability', (got) =>
      objectIn(got, 'capability') ? { kind: 'capability' as const } : unknown(got),
    );
    const answer = await this.call(settings, 'GET', '/charges?limit=1', (got) =>
      readList(got, 0, settings.isLive, new Date()),
    );
    const mode = settings.isLive ? 'live' : 'test mode, no real money';
    const signed = settings.webhookSecret !== null;
    const refunds = await this.refunds(settings, new Date(), 0);
    const listed = refunds.kind === 'unknown' ? refunds.detail : 'read each night';
    const isKnown = capability.kind === 'capability';
    return [
      { name: 'public_key', ok: isKnown, detail: isKnown ? 'accepted' : capability.detail },
      { name: 'secret_key', ok: answer.kind === 'page', detail: answer.kind === 'page' ? mode : answer.detail },
      { name: 'webhook_secret', ok: true, detail: signed ? 'callbacks must be signed' : 'callbacks are not proven' },
      { name: 'refunds', ok: true, detail: refunds === NO_REFUNDS ? UNLISTED : listed },
    ];
  }

  /** Inquires about each charge that was refunded, because a refund says nothing about the other refunds of its charge. */
  private async refundedCharges(settings: OpnSettings, since: Date, offset: number): Promise<PaymentsPage | NoAnswer> {
    const page = await this.refunds(settings, since, offset);
    if (page.kind === 'unknown') return page;
    const payments: ChargeReading[] = page.nameless.map((paymentId) => ({ paymentId, reading: NAMELESS }));
    for (const paymentId of page.charges) {
      const answer = await this.charge(settings, paymentId);
      if (answer.kind === 'unknown' && answer.fault !== 'configuration') return answer;
      // As in the list of charges, an unreadable charge does not stop the page. Neither does a charge that Opn refuses to show.
      payments.push({ paymentId, reading: answer.kind === 'charge' ? answer.reading : answer });
    }
    return { kind: 'page', payments, isOfAnyAge: true, next: page.next && `refunds ${page.next}` };
  }

  private charge(settings: OpnSettings, id: string): Promise<{ kind: 'charge'; reading: PaymentReading } | NoAnswer> {
    return this.call(settings, 'GET', `/charges/${encodeURIComponent(id)}`, (answer) => {
      const charge = objectIn(answer, 'charge');
      if (!charge) return unknown(answer);
      return { kind: 'charge' as const, reading: readCharge(charge, id, settings.isLive, new Date()) };
    });
  }

  /**
   * Perhaps not every account and key has this list. Without it, only callbacks and the list of charges report refunds. If the
   * keys are wrong, calls about charges fail, too.
   */
  private async refunds(settings: OpnSettings, since: Date, offset: number): Promise<RefundsPage | NoAnswer> {
    const page = await this.call(settings, 'GET', listPath('refunds', since, offset), (answer) =>
      readRefunds(answer, offset),
    );
    const isRefused = page.kind === 'unknown' && (page.fault === 'configuration' || page.fault === 'credentials');
    return isRefused ? NO_REFUNDS : page;
  }

  private async read(settings: OpnSettings, charge: Members, until: number): Promise<Created | NoAnswer> {
    const paymentId = idOf(charge.id);
    const image = asMembers(asMembers(asMembers(charge.source)?.scannable_code)?.image);
    if (paymentId === null || readCharge(charge, paymentId, settings.isLive, new Date()).kind !== 'open')
      return { kind: 'unknown', detail: 'the new charge is not pending' };
    const qrImage = await this.image(settings, image?.download_uri, until);
    if (qrImage === null) {
      // Nobody has seen this code, and the next call makes a new charge with a new code. So this charge is cancelled, and the
      // merchant does not wait for that.
      void this.cancel(settings, paymentId);
      return { kind: 'unknown', detail: `the code of charge ${paymentId} could not be read` };
    }
    return { kind: 'created', qrPayload: null, qrImage, paymentId, expiresAt: momentOf(charge.expires_at) };
  }

  /** The image as a data URL. It is read from the API itself, and from nowhere else. */
  private async image({ baseUrl }: OpnSettings, uri: unknown, until: number): Promise<string | null> {
    if (typeof uri !== 'string' || !URL.canParse(uri) || new URL(uri).origin !== new URL(baseUrl).origin) return null;
    const request = { method: 'GET', url: uri, headers: {}, timeoutMs: leftMs(until) } as const;
    const call = () => this.http.call({ ...request, maxAnswerBytes: MAX_IMAGE_BYTES, parse: (text) => text });
    const isImage = ({ status, body }: HttpAnswer): boolean => status === 200 && /<svg[\s>]/.test(String(body));
    return callAndRead(
      call,
      (answer) =>
        isImage(answer) ? `data:image/svg+xml;base64,${Buffer.from(String(answer.body)).toString('base64')}` : null,
      () => null,
    );
  }

  private post(
    settings: OpnSettings,
    path: '/sources' | '/charges',
    body: object,
    until: number,
  ): Promise<(Members & { id: unknown }) | NoAnswer> {
    const read = (answer: HttpAnswer) => {
      const made = objectIn(answer, path === '/sources' ? 'source' : 'charge');
      return typeof made?.id === 'string' ? { ...made, id: made.id } : unknown(answer);
    };
    return this.call(settings, 'POST', path, read, { body, timeoutMs: leftMs(until) });
  }

  /** Never throws. Sources and the account's capability need the public key, all other calls the secret key. */
  private call<Result>(
    { baseUrl, publicKey, secretKey }: OpnSettings,
    method: 'GET' | 'POST',
    path: string,
    read: (answer: HttpAnswer) => Result,
    { body, timeoutMs = TIMEOUT_MS }: { body?: object; timeoutMs?: number } = {},
  ): Promise<Result | NoAnswer> {
    const user = path === '/sources' || path === '/capability' ? publicKey : secretKey;
    const headers = {
      Authorization: `Basic ${Buffer.from(`${user}:`).toString('base64')}`,
      'Omise-Version': VERSION,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const request = { method, url: baseUrl + path, headers, timeoutMs, parse: parseExactJson };
    const sent = { ...request, maxAnswerBytes: MAX_LIST_BYTES, ...(body && { body: JSON.stringify(body) }) };
    return callAndRead(
      () => this.http.call(sent),
      read,
      (error): NoAnswer => ({ kind: 'unknown', detail: shownText(describeFailure(error)) }),
    );
  }
}
