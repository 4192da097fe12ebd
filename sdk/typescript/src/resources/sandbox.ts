import type { CallOptions, Transport } from '../transport.js';
import type { Wallet } from '../types.js';

/** For sandbox merchants, whose keys begin with `topup_test_`; other merchants get a 404. */
export class Sandbox {
  constructor(private readonly transport: Transport) {}

  /** Refills the wallet. @param amount in baht, such as `1000.00`. @returns the wallet afterwards. */
  credit(amount: string, options?: CallOptions): Promise<Wallet> {
    return this.transport.send(
      { method: 'POST', path: '/v1/sandbox/wallet/credit', body: { amount }, isRepeatable: false },
      options,
    );
  }
}
