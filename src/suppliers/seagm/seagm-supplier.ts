import { MINUTE_MS } from '../../core/durations.js';
import { parseExactJson } from '../../core/exact-json.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  Catalogue,
  CatalogueProbe,
  NamedAttempt,
  ProductReading,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
} from '../supplier-adapter.js';
import { describeFailure, type HttpAnswer, type SupplierHttp } from '../supplier-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { failedSend, notSent, unreachable } from '../vendor-answers.js';
import { readInquiry, readOrderAnswer } from './order-answers.js';
import { orderFields, requestProblem, typeOf } from './order-request.js';
import { readCategories, readTypeOf } from './product-types.js';
import { seagmCallbacks } from './seagm-callbacks.js';
import { readCatalogue } from './seagm-catalogue.js';
import { readBalance, unavailable } from './seagm-data.js';
import { signatureOf, type Parameters } from './seagm-signatures.js';

/** The types of one category. */
const MAX_LIST_BYTES = 2_000_000;
/** The vendor bans who asks too often, and does not say how often that is. */
const CATALOGUE_PACE_MS = 500;

export interface SeagmSettings {
  baseUrl: string;
  uid: string;
  secretKey: string;
  timeoutMs: number;
}

/** SEAGM's API for partners: https://doc.openapi.seagm.io. */
export class SeagmSupplier implements SupplierAdapter<SeagmSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'seagm',
    name: 'SEAGM (top-ups and PIN cards)',
    credentials: [
      {
        name: 'uid',
        secret: false,
        required: true,
        isAccount: true,
        help: 'User id of the partner account',
      },
      {
        name: 'secret_key',
        secret: true,
        required: true,
        help: 'Secret key that signs requests and callbacks',
      },
    ],
    options: [],
    capabilities: ['inquiry', 'balance', 'catalogue', 'callbacks'],
    references: 'random',
    baseUrl: 'https://openapi.seagm.com',
    currency: null,
  };

  /** What a repeated `mch_order_id` does is not documented: it may buy again. */
  readonly deduplicates = false;

  readonly inquiry: ReadingInquiry<SeagmSettings> = {
    mayBuy: false,
    isNotFoundCertain: true,
    firstMs: 5_000,
    minGapMs: 5_000,
    maxAgeMs: null,
    ask: (settings, attempt) => this.askOrder(settings, attempt),
  };

  readonly callbacks = seagmCallbacks;

  readonly catalogue: Catalogue<SeagmSettings> = {
    minGapMs: 15 * MINUTE_MS,
    isGapOurs: true,
    productGapMs: 1_000,
    read: (settings) => readCatalogue((path) => this.get(settings, path), CATALOGUE_PACE_MS),
    readOne: (settings, sku) => this.askType(settings, sku),
  };

  constructor(private readonly http: SupplierHttp) {}

  readSettings({ baseUrl, credentials, timeoutMs }: StoredSettings): SeagmSettings {
    const { uid = '', secret_key: secretKey = '' } = credentials;
    return { baseUrl, uid, secretKey, timeoutMs };
  }

  async send(settings: SeagmSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const problem = requestProblem(attempt);
    const type = typeOf(attempt.sku);
    if (problem !== null || type === null) {
      const detail = problem ?? 'the SKU can’t be read';
      return notSent(attempt, { detail, fault: 'configuration' });
    }
    const { kind, typeId } = type;
    try {
      const fields = orderFields(typeId, kind, attempt);
      return readOrderAnswer(await this.post(settings, `/v1/${kind}-orders`, fields), kind, attempt);
    } catch (error) {
      return failedSend(error, attempt);
    }
  }

  async balance(settings: SeagmSettings): Promise<SupplierBalance> {
    try {
      return readBalance(await this.get(settings, '/v1/me'));
    } catch (error) {
      return unreachable(error);
    }
  }

  async probeCatalogue(settings: SeagmSettings): Promise<CatalogueProbe> {
    try {
      const answer = await this.get(settings, '/v1/recharge-categories');
      return readCategories(answer, 'recharge') === null ? unavailable(answer) : { known: true };
    } catch (error) {
      return unreachable(error);
    }
  }

  /** By our own reference, which the vendor knows whether or not its answer reached us. */
  private async askOrder(settings: SeagmSettings, attempt: NamedAttempt): Promise<SupplierOutcome> {
    const kind = typeOf(attempt.sku)?.kind ?? 'recharge';
    const path = `/v1/${kind}-orders/${encodeURIComponent(attempt.reference)}`;
    try {
      return readInquiry(await this.get(settings, path, { query_type: 'mchOrderId' }), kind, attempt);
    } catch (error) {
      return { kind: 'unknown', detail: describeFailure(error) };
    }
  }

  private async askType(settings: SeagmSettings, sku: string): Promise<ProductReading> {
    const type = typeOf(sku);
    if (type === null) return { known: true, product: null };
    const { kind, typeId } = type;
    try {
      return readTypeOf(await this.get(settings, `/v1/${kind}-types/${typeId}`), kind, typeId);
    } catch (error) {
      return unreachable(error);
    }
  }

  private get(settings: SeagmSettings, path: string, parameters: Parameters = {}): Promise<HttpAnswer> {
    const { baseUrl, timeoutMs } = settings;
    const query = signed(settings, parameters, parameters);
    const limits = { timeoutMs, maxAnswerBytes: MAX_LIST_BYTES, parse: parseExactJson };
    const headers = { accept: 'application/json' };
    return this.http.call({ method: 'GET', url: `${baseUrl}${path}?${query}`, headers, ...limits });
  }

  private post(settings: SeagmSettings, path: string, fields: Parameters): Promise<HttpAnswer> {
    const { baseUrl, timeoutMs } = settings;
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    const call = { headers, body, timeoutMs, parse: parseExactJson };
    return this.http.call({
      method: 'POST',
      url: `${baseUrl}${path}?${signed(settings, fields, {})}`,
      ...call,
    });
  }
}

/**
 * The query of a request: who we are, when, and the signature over that and all parameters of query and body.
 * @param inQuery those of the parameters that stand in the query.
 */
function signed({ uid, secretKey }: SeagmSettings, parameters: Parameters, inQuery: Parameters): string {
  const who = { uid, timestamp: `${Math.floor(Date.now() / 1_000)}` };
  const signature = signatureOf(secretKey, { ...parameters, ...who });
  return new URLSearchParams({ ...inQuery, ...who, signature }).toString();
}
