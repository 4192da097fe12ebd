import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { SecretBox } from '../core/secret-box.js';
import { ADAPTER_NAMES, ADAPTERS } from './adapters.js';
import type { SupplierAdapter } from './supplier-adapter.js';
import { SupplierHttp } from './supplier-http.js';
import type { Supplier } from './supplier.entity.js';

/** A supplier that can be called: its adapter, and its settings as that has read them. */
export interface SupplierConnection<Settings = unknown> {
  adapter: SupplierAdapter<Settings>;
  settings: Settings;
}

type ConnectedColumns = Pick<Supplier, 'adapter' | 'base_url' | 'token_sealed' | 'timeout_ms'>;

/** Knows the adapters of suppliers, and how to call a supplier. */
@Injectable()
export class SupplierRegistry implements OnApplicationShutdown {
  private readonly http = new SupplierHttp();
  private readonly adapters = new Map(ADAPTERS.map((Adapter) => [Adapter.adapter, new Adapter(this.http)]));

  constructor(private readonly secretBox: SecretBox) {}

  /** Undefined where only another version of the service knows the adapter. */
  find(name: string): SupplierAdapter | undefined {
    return this.adapters.get(name);
  }

  /** @throws BAD_REQUEST */
  get(name: string): SupplierAdapter {
    const adapter = this.find(name);
    if (adapter) return adapter;
    throw new AppError(
      'BAD_REQUEST',
      `there is no adapter ${name}: choose one of ${ADAPTER_NAMES.join(', ')}`,
    );
  }

  /** @throws BAD_REQUEST for settings that the adapter can't work with; what keeps its token shut. */
  connect(supplier: ConnectedColumns): SupplierConnection {
    const adapter = this.get(supplier.adapter);
    const { base_url: baseUrl, token_sealed: sealed, timeout_ms: timeoutMs } = supplier;
    const token = sealed && this.secretBox.open(sealed);
    return { adapter, settings: adapter.readSettings({ baseUrl, token, timeoutMs }) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}
