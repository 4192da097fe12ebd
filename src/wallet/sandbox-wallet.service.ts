import { Injectable } from '@nestjs/common';
import { newSandboxReference } from '../core/identifiers.js';
import type { Satang } from '../core/money.js';
import type { Wallet } from './wallet.entity.js';
import { WalletService } from './wallet.service.js';

/** What a sandbox merchant may give itself at a time: a million baht. */
export const MAX_SANDBOX_CREDIT: Satang = 100_000_000n;

/** The money of sandbox merchants, which they make themselves. */
@Injectable()
export class SandboxWalletService {
  constructor(private readonly wallets: WalletService) {}

  /**
   * Adds money each time that it is asked to, as a credit under a reference of its own.
   * @throws CONFLICT where the wallet can't hold so much.
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
