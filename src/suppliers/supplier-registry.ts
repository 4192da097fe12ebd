import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import type { DescribedAdapter } from './adapter-description.js';
import { ADAPTER_NAMES, ADAPTERS, describeAdapter, toKnownAdapter } from './adapters.js';
import { CallbackAddressesService } from './callback-addresses.service.js';
import { byReference, type Catalogue, type SupplierAdapter, type Unavailable } from './supplier-adapter.js';
import { SupplierCredentialsService } from './supplier-credentials.service.js';
import { SandboxSupplier } from './sandbox/sandbox-supplier.js';
import { AdapterHttp } from './adapter-http.js';
import { missingProblem } from './supplier-settings.js';
import type { Supplier } from './supplier.entity.js';

/** A supplier that can be called: its adapter, with the settings that the adapter has read. */
export interface SupplierConnection<Settings = unknown> {
  adapter: SupplierAdapter<Settings>;
  settings: Settings;
}

type ConnectedColumns = Pick<
  Supplier,
  | ('code' | 'adapter' | 'base_url' | 'options' | 'timeout_ms')
  | ('token_sealed' | 'credentials_sealed' | 'callback_token_sealed')
>;

/** An adapter, as a parameter of statements. */
interface AdapterRow {
  adapter: string;
  inquiry_may_buy: boolean;
  /** The shortest time between two calls about one attempt. */
  min_gap_ms: number;
  max_age_ms: bigint | null;
  /** Whether the adapter has `bySupplierReference`: an inquiry that never buys, for attempts with a supplier's reference. */
  inquires_by_supplier_reference: boolean;
  has_random_references: boolean;
}

/** An adapter that reads catalogues, as a parameter of statements. */
export interface CatalogueRow {
  adapter: string;
  /** The shortest time between two readings of a supplier's catalogue. */
  gap_ms: number;
  /** The shortest time between two readings of single products. */
  product_gap_ms: number;
}

interface RegisteredAdapter {
  adapter: SupplierAdapter;
  description: DescribedAdapter;
}

/** Finds adapters, and connects each supplier with its adapter. */
@Injectable()
export class SupplierRegistry implements OnApplicationShutdown {
  private readonly http = new AdapterHttp();
  private readonly known = new Map<string, RegisteredAdapter>(
    [...ADAPTERS, toKnownAdapter(SandboxSupplier)].map(({ create, description }) => [
      description.adapter,
      { adapter: create(this.http), description },
    ]),
  );

  readonly adapters: readonly AdapterRow[] = [...this.known.values()].map(toRow);

  readonly catalogues: readonly CatalogueRow[] = [...this.known].flatMap(([name, { adapter }]) =>
    adapter.catalogue ? [toCatalogueRow(name, adapter.catalogue)] : [],
  );

  constructor(
    private readonly credentials: SupplierCredentialsService,
    private readonly callbackAddresses: CallbackAddressesService,
  ) {}

  /** Undefined if only another version of the service knows the adapter. */
  find(name: string): SupplierAdapter | undefined {
    return this.known.get(name)?.adapter;
  }

  /** Whether a supplier of this adapter certainly sells nothing for a repeated reference. */
  deduplicates(name: string): boolean {
    return this.find(name)?.deduplicates === true;
  }

  /** Describes an adapter that operators may choose. @throws BAD_REQUEST */
  describe(name: string): DescribedAdapter {
    return describeAdapter(name) ?? unknownAdapter(name);
  }

  /** Whether a fault, such as refused credentials or too low a balance, pauses a supplier of this adapter. */
  isPausedByFaults(name: string): boolean {
    return this.known.get(name)?.description.isPausedByFaults ?? true;
  }

  /** @throws BAD_REQUEST for settings that can't work; Error if the credentials can't be opened. */
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

  /** Like {@link connect}, but returns the problem and does not throw it, for callers that go on without the supplier. */
  tryConnect(supplier: ConnectedColumns): SupplierConnection | Unavailable {
    try {
      return this.connect(supplier);
    } catch (error) {
      return { known: false, detail: (error as Error).message, offersNone: false, fault: 'settings' };
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private get(name: string): RegisteredAdapter {
    return this.known.get(name) ?? unknownAdapter(name);
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

function toRow({ adapter, description }: RegisteredAdapter): AdapterRow {
  const { inquiry } = adapter;
  const named = byReference(adapter);
  const maxAgeMs = inquiry?.maxAgeMs ?? null;
  return {
    adapter: description.adapter,
    inquiry_may_buy: inquiry?.mayBuy ?? false,
    min_gap_ms: Math.max(inquiry?.minGapMs ?? 0, named?.minGapMs ?? 0),
    max_age_ms: maxAgeMs === null ? null : BigInt(maxAgeMs),
    inquires_by_supplier_reference: named !== undefined,
    has_random_references: description.references === 'random',
  };
}
