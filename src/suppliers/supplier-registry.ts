import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import type { AdapterDescription } from './adapter-description.js';
import { ADAPTER_NAMES, ADAPTERS, describeAdapter } from './adapters.js';
import { CallbackAddressesService } from './callback-addresses.service.js';
import type { Catalogue, SupplierAdapter, Unavailable } from './supplier-adapter.js';
import { SupplierCredentialsService } from './supplier-credentials.service.js';
import { SandboxSupplier } from './sandbox/sandbox-supplier.js';
import { SupplierHttp } from './supplier-http.js';
import { missingProblem } from './supplier-settings.js';
import type { Supplier } from './supplier.entity.js';

/** A supplier that can be called: its adapter, and its settings as that has read them. */
export interface SupplierConnection<Settings = unknown> {
  adapter: SupplierAdapter<Settings>;
  settings: Settings;
}

type ConnectedColumns = Pick<
  Supplier,
  | ('code' | 'adapter' | 'base_url' | 'options' | 'timeout_ms')
  | ('token_sealed' | 'credentials_sealed' | 'callback_token_sealed')
>;

/** What statements have to know of an adapter. */
export interface AdapterRow {
  adapter: string;
  inquiry_may_buy: boolean;
  /** For so long it is left alone about an attempt after a call about it. */
  min_gap_ms: number;
  max_age_ms: bigint | null;
  /** Whether it is asked otherwise about attempts for which it has a name of its own: then nothing can be bought by it. */
  asks_by_theirs: boolean;
  named_at_random: boolean;
}

/** An adapter that reads catalogues. */
export interface CatalogueRow {
  adapter: string;
  /** For so long a supplier's catalogue is left alone after it was read. */
  gap_ms: number;
  /** For so long it is left alone after it was asked for one product. */
  product_gap_ms: number;
}

interface KnownAdapter {
  adapter: SupplierAdapter;
  description: AdapterDescription;
}

/** Knows the adapters of suppliers, and how to call a supplier. */
@Injectable()
export class SupplierRegistry implements OnApplicationShutdown {
  private readonly http = new SupplierHttp();
  private readonly known = new Map<string, KnownAdapter>(
    [...ADAPTERS, SandboxSupplier].map((Adapter) => {
      const { description } = Adapter;
      return [description.adapter, { adapter: new Adapter(this.http), description }];
    }),
  );

  /** All of them, as statements are given them. */
  readonly adapters: readonly AdapterRow[] = [...this.known.values()].map(toRow);

  /** Those that read catalogues. */
  readonly catalogues: readonly CatalogueRow[] = [...this.known].flatMap(([name, { adapter }]) =>
    adapter.catalogue ? [toCatalogueRow(name, adapter.catalogue)] : [],
  );

  constructor(
    private readonly credentials: SupplierCredentialsService,
    private readonly callbackAddresses: CallbackAddressesService,
  ) {}

  /** Undefined where only another version of the service knows the adapter. */
  find(name: string): SupplierAdapter | undefined {
    return this.known.get(name)?.adapter;
  }

  /** What an adapter that an operator may choose says of itself. @throws BAD_REQUEST */
  describe(name: string): AdapterDescription {
    return describeAdapter(name) ?? unknownAdapter(name);
  }

  /** Whether suppliers of this adapter are paused when they refuse our credentials or have too little of our money. */
  isPausedByFaults(name: string): boolean {
    return this.known.get(name)?.description.isPausedByFaults ?? true;
  }

  /** @throws BAD_REQUEST for settings that the adapter can't work with; what keeps its credentials shut. */
  connect(supplier: ConnectedColumns): SupplierConnection {
    const { adapter, description } = this.get(supplier.adapter);
    const { base_url: baseUrl, options, timeout_ms: timeoutMs } = supplier;
    const credentials = this.credentials.open(supplier);
    const missing = missingProblem(description, Object.keys(credentials));
    if (missing !== null) throw new AppError('BAD_REQUEST', missing);
    const callbackUrl = adapter.callbacks ? this.callbackAddresses.urlOf(supplier) : null;
    const stored = { baseUrl, credentials, options, timeoutMs, callbackUrl };
    return { adapter, settings: adapter.readSettings(stored) };
  }

  /** The same for those who go on without it: what keeps it from being called is an answer like others. */
  tryConnect(supplier: ConnectedColumns): SupplierConnection | Unavailable {
    try {
      return this.connect(supplier);
    } catch (error) {
      return { known: false, detail: (error as Error).message, reached: false, fault: 'settings' };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private get(name: string): KnownAdapter {
    const known = this.known.get(name);
    return known ?? unknownAdapter(name);
  }
}

/** @throws BAD_REQUEST */
function unknownAdapter(name: string): never {
  throw new AppError('BAD_REQUEST', `there is no adapter ${name}: choose one of ${ADAPTER_NAMES.join(', ')}`);
}

const toCatalogueRow = (adapter: string, { minGapMs, productGapMs }: Catalogue): CatalogueRow => ({
  adapter,
  gap_ms: minGapMs,
  product_gap_ms: productGapMs,
});

function toRow({ adapter: { inquiry, inquiryByTheirs }, description }: KnownAdapter): AdapterRow {
  const maxAgeMs = inquiry?.maxAgeMs ?? null;
  return {
    adapter: description.adapter,
    inquiry_may_buy: inquiry?.mayBuy ?? false,
    min_gap_ms: Math.max(inquiry?.minGapMs ?? 0, inquiryByTheirs?.minGapMs ?? 0),
    max_age_ms: maxAgeMs === null ? null : BigInt(maxAgeMs),
    asks_by_theirs: inquiryByTheirs !== undefined,
    named_at_random: description.references === 'random',
  };
}
