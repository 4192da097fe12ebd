import { Injectable } from '@nestjs/common';
import type { Deposit } from '../deposit.entity.js';
import { IncomingSlipsService } from '../slips/incoming-slips.service.js';
import type { MiniQr } from '../slips/mini-qr.js';
import type { DueSlip } from '../slips/slips.repository.js';
import { SandboxPaymentsService } from './sandbox-payments.service.js';

const BANK = '000';

/** Decides slips of sandbox merchants by the end of their numbers. Knows no slip of another bank than 000. */
@Injectable()
export class SandboxSlipsService {
  constructor(
    private readonly incoming: IncomingSlipsService,
    private readonly payments: SandboxPaymentsService,
  ) {}

  /** Slips of the sandbox are made up, so two merchants may present the same one. */
  slipRefOf({ merchant_id }: Deposit, { bank, transRef }: MiniQr): string {
    return `${bank}:${merchant_id}:${transRef}`;
  }

  async decide({ deposit_id, channel_id, slip_ref, tries }: DueSlip): Promise<void> {
    const isOfBank = slip_ref.startsWith(`${BANK}:`);
    if (isOfBank && slip_ref.endsWith('LATE') && tries === 1) return;
    const isPaid = isOfBank && /(OK|LATE)$/.test(slip_ref);
    if (isPaid && (await this.payments.takeSlip(deposit_id, slip_ref))) return;
    const isOther = isOfBank && slip_ref.endsWith('OTHER');
    await this.incoming.refuse(channel_id, slip_ref, isOther ? 'SLIP_WRONG_RECEIVER' : 'SLIP_UNKNOWN');
  }
}
