import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/durations.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  BuyingInquiry,
  Catalogue,
  CatalogueProbe,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
  Unavailable,
} from '../supplier-adapter.js';
import { describeFailure, type HttpAnswer, type SupplierHttp } from '../supplier-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { failedSend, notSent, unreachable } from '../vendor-answers.js';
import { readOutputAnswer } from './output-answers.js';
import { readExport, readExportOf } from './product-export.js';
import { readPurchaseAnswer } from './purchase-answers.js';
import { purchaseFields, requestBody } from './purchase-request.js';
import { wepayCallbacks } from './wepay-callbacks.js';
import { CURRENCY, parseAnswer, readBalance } from './wepay-data.js';

/** The export has some thousand amounts, each with a description. */
const MAX_EXPORT_BYTES = 20_000_000;

export interface WepaySettings {
  baseUrl: string;
  username: string;
  password: string;
  /** Where it is to call us about a purchase. */
  callbackUrl: string | null;
  timeoutMs: number;
}

/** wePAY of Thailand: games, mobile top-ups and cash cards, in baht. */
export class WepaySupplier implements SupplierAdapter<WepaySettings> {
  static readonly description: AdapterDescription = {
    adapter: 'wepay',
    name: 'wePAY',
    credentials: [
      { name: 'username', secret: false, required: true, isAccount: true, help: 'Username of the API' },
      { name: 'password', secret: true, required: true, help: 'Password of the API' },
    ],
    options: [],
    capabilities: ['deduplication', 'inquiry', 'balance', 'catalogue', 'callbacks'],
    references: 'random',
    baseUrl: 'https://www.wepay.in.th',
    currency: CURRENCY,
  };

  readonly deduplicates = true;

  /** Nothing can be asked by our reference: the same purchase is sent again, which is refused if the first one arrived. */
  readonly inquiry: BuyingInquiry<WepaySettings> = {
    mayBuy: true,
    firstMs: 0,
    minGapMs: 10 * SECOND_MS,
    // For how long the vendor remembers a reference is not documented.
    maxAgeMs: HOUR_MS,
    ask: (settings, attempt) => this.send(settings, { ...attempt, isRepeat: true }),
  };

  readonly inquiryByTheirs: ReadingInquiry<WepaySettings> & { maxAgeMs: null } = {
    mayBuy: false,
    firstMs: 5 * SECOND_MS,
    minGapMs: 2 * SECOND_MS,
    maxAgeMs: null,
    ask: async (settings, attempt) => {
      const fields = { type: 'get_output', transaction_id: attempt.supplierReference ?? '' };
      try {
        return readOutputAnswer(await this.call(settings, fields), attempt);
      } catch (error) {
        return { kind: 'unknown', detail: describeFailure(error) };
      }
    },
  };

  readonly callbacks = wepayCallbacks;

  /** It is public, and big. */
  readonly catalogue: Catalogue<WepaySettings> = {
    minGapMs: 5 * MINUTE_MS,
    // One product is read out of the whole.
    productGapMs: 5 * MINUTE_MS,
    isGapOurs: true,
    read: (settings) => this.readCatalogue(settings, readExport),
    readOne: (settings, sku) => this.readCatalogue(settings, (answer) => readExportOf(answer, sku)),
  };

  constructor(private readonly http: SupplierHttp) {}

  readSettings({ credentials, baseUrl, callbackUrl, timeoutMs }: StoredSettings): WepaySettings {
    const { username = '', password = '' } = credentials;
    return { baseUrl, username, password, callbackUrl, timeoutMs };
  }

  async send(settings: WepaySettings, attempt: Attempt): Promise<SupplierOutcome> {
    const fields = purchaseFields(attempt, settings);
    if (!fields) {
      const detail = 'the SKU is not a type, a company and an amount, such as gtopup:FREEFIRE:90';
      return notSent(attempt, { detail, fault: 'configuration' });
    }
    try {
      return readPurchaseAnswer(await this.call(settings, fields), attempt);
    } catch (error) {
      return failedSend(error, attempt);
    }
  }

  async balance(settings: WepaySettings): Promise<SupplierBalance> {
    try {
      return readBalance(await this.call(settings, { type: 'balance_inquiry' }));
    } catch (error) {
      return unreachable(error);
    }
  }

  /** There is no part of it to be asked for. */
  async probeCatalogue(settings: WepaySettings): Promise<CatalogueProbe> {
    const reading = await this.readCatalogue(settings, readExport);
    return reading.known ? { known: true } : reading;
  }

  private async readCatalogue<Reading>(
    { baseUrl, timeoutMs }: WepaySettings,
    read: (answer: HttpAnswer) => Reading,
  ): Promise<Reading | Unavailable> {
    const url = `${baseUrl}/comp_export.php?json`;
    const headers = { accept: 'application/json' };
    try {
      const maxAnswerBytes = MAX_EXPORT_BYTES;
      return read(await this.http.call({ method: 'GET', url, headers, timeoutMs, maxAnswerBytes, parse: parseAnswer }));
    } catch (error) {
      return unreachable(error);
    }
  }

  private call(settings: WepaySettings, fields: Record<string, string>): Promise<HttpAnswer> {
    const { baseUrl, timeoutMs } = settings;
    return this.http.call({
      method: 'POST',
      url: `${baseUrl}/client_api.json.php`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: requestBody(settings, fields),
      timeoutMs,
      parse: parseAnswer,
    });
  }
}
