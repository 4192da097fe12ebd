import { Injectable } from '@nestjs/common';
import { newSandboxReference } from '../core/identifiers.js';
import type { Satang } from '../core/money.js';
import type { Wallet } from './wallet.entity.js';
import { WalletService } from './wallet.service.js';

/** The maximum that a sandbox merchant may credit itself at a time: a million baht. */
export const MAX_SANDBOX_CREDIT: Satang = 100_000_000n;

/** Credits that sandbox merchants give themselves. */
@Injectable()
export class SandboxWalletService {
  constructor(private readonly wallets: WalletService) {}

  /**
   * Adds money on every call, because every call has a new reference.
   * @throws CONFLICT if the wallet cannot hold so much.
   */
  credit(merchantId: number, amount: Satang): Promise<Wallet> {
    return this.wallets.credit({
      merchantId,
      amount,
      reference: newSandboxReference(),
      operator: 'sandbox',
      note: 'by the merchant itself',
      isOwn: true,
    });
  }
}
