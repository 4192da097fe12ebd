import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import type { AdapterDescription } from './adapter-description.js';
import { ADAPTER_NAMES, ADAPTERS } from './adapters.js';
import type { SupplierAdapter } from './supplier-adapter.js';
import { SupplierCredentials } from './supplier-credentials.js';
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
  'adapter' | 'base_url' | 'token_sealed' | 'credentials_sealed' | 'options' | 'timeout_ms'
>;

interface KnownAdapter {
  adapter: SupplierAdapter;
  description: AdapterDescription;
}

/** Knows the adapters of suppliers, and how to call a supplier. */
@Injectable()
export class SupplierRegistry implements OnApplicationShutdown {
  private readonly http = new SupplierHttp();
  private readonly adapters = new Map<string, KnownAdapter>(
    ADAPTERS.map((Adapter) => {
      const { description } = Adapter;
      return [description.adapter, { adapter: new Adapter(this.http), description }];
    }),
  );

  constructor(private readonly credentials: SupplierCredentials) {}

  /** Undefined where only another version of the service knows the adapter. */
  find(name: string): SupplierAdapter | undefined {
    return this.adapters.get(name)?.adapter;
  }

  /** What an adapter says of itself. @throws BAD_REQUEST */
  describe(name: string): AdapterDescription {
    return this.get(name).description;
  }

  /** @throws BAD_REQUEST for settings that the adapter can't work with; what keeps its credentials shut. */
  connect(supplier: ConnectedColumns): SupplierConnection {
    const { adapter, description } = this.get(supplier.adapter);
    const { base_url: baseUrl, options, timeout_ms: timeoutMs } = supplier;
    const credentials = this.credentials.open(supplier);
    const missing = missingProblem(description, Object.keys(credentials));
    if (missing !== null) throw new AppError('BAD_REQUEST', missing);
    return { adapter, settings: adapter.readSettings({ baseUrl, credentials, options, timeoutMs }) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private get(name: string): KnownAdapter {
    const known = this.adapters.get(name);
    if (known) return known;
    throw new AppError(
      'BAD_REQUEST',
      `there is no adapter ${name}: choose one of ${ADAPTER_NAMES.join(', ')}`,
    );
  }
}
