import { List, type Page } from '../list.js';
import type { CallOptions, Transport } from '../transport.js';
import type { Wallet, WalletEntry, WalletEntryQuery } from '../types.js';

export class WalletResource {
  constructor(private readonly transport: Transport) {}

  get(options?: CallOptions): Promise<Wallet> {
    return this.transport.get('/v1/wallet', {}, options);
  }

  /** The movements of the available balance, newest first. */
  entries(query: WalletEntryQuery = {}, options?: CallOptions): List<WalletEntry> {
    return new List((cursor) =>
      this.transport.get<Page<WalletEntry>>('/v1/wallet/entries', { ...query, cursor }, options),
    );
  }
}
