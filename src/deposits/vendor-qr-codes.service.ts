import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { ChannelCallsService } from './channel-calls.service.js';
import { ChannelsService } from './channels.service.js';
import { DepositsRepository, isUnfinished, type DepositRow } from './deposits.repository.js';

/** Longer than an adapter takes to make a code. */
const LEASE_MS = 15_000;
/** The pause after a failure. Otherwise each equal request that waits would at once call the vendor again, several times. */
const PAUSE_MS = 2_000;
/** How long a request may wait before it makes the code itself. The request must end before proxies give up. */
const CLAIM_MS = PAUSE_MS + 300;
const POLL_MS = 200;
/** How long a request waits for the code that another process is making. */
const WAIT_MS = 6_000;

/** Has vendors make the QR codes of deposits. One process at a time requests a code; equal requests wait for it. */
@Injectable()
export class VendorQrCodesService {
  private readonly making = new Map<bigint, Promise<void>>();

  constructor(
    private readonly deposits: DepositsRepository,
    private readonly channels: ChannelsService,
    private readonly calls: ChannelCallsService,
  ) {}

  /** @returns the deposit as it stands, perhaps still without a code. */
  async finish(row: DepositRow): Promise<DepositRow> {
    if (!isUnfinished(row) || row.deposit.channel_id === SANDBOX_CHANNEL_ID) return row;
    const { id } = row.deposit;
    const making = this.making.get(id) ?? this.make(row).finally(() => this.making.delete(id));
    this.making.set(id, making);
    await making;
    return this.deposits.readAgain(row);
  }

  /** Ends an offer at the vendor, as far as possible. */
  async cancel({ channel: code, deposit }: DepositRow): Promise<void> {
    if (deposit.channel_payment_id === null) return;
    const { adapter, settings } = await this.channels.connectByCode(code);
    await adapter.cancel?.(settings, deposit.channel_payment_id);
  }

  private async make(row: DepositRow): Promise<void> {
    const channel = await this.channels.get(row.channel);
    const connected = channel.pause_reason === null ? this.channels.tryConnect(channel) : null;
    if (!connected) return;
    const { adapter, settings } = connected;
    const { id, deposit_number: depositNumber, merchant_id: merchantId, reference_id: referenceId } = row.deposit;
    const { amount_to_pay: amountToPay, expires_at: expiresAt } = row.deposit;
    const create = adapter.create?.bind(adapter);
    if (!create) return;
    if (!(await this.claim(row))) return;
    const offered = { depositNumber, merchantId, referenceId, amountToPay, expiresAt };
    const made = await this.calls.call(channel, 'create', () => create(settings, offered));
    if (made.kind === 'unknown') return this.deposits.releaseCode(id, LEASE_MS, PAUSE_MS);
    const inquiryAfter = adapter.inquiry ? adapter.inquiry.firstMs / 1_000 : null;
    const isOffered = await this.deposits.finish(id, made, inquiryAfter);
    // Nobody has seen the code, and nobody should pay it now. The merchant has waited for the code, and does not wait for this call.
    if (!isOffered && made.paymentId !== null) adapter.cancel?.(settings, made.paymentId).catch(() => undefined);
  }

  /** @returns false if another process has made the code, or is still making it. */
  private async claim(row: DepositRow): Promise<boolean> {
    const sinceMs = performance.now();
    const waitedMs = (): number => performance.now() - sinceMs;
    while (waitedMs() < WAIT_MS) {
      if (waitedMs() < CLAIM_MS && (await this.deposits.claimCode(row.deposit.id, LEASE_MS))) return true;
      await sleep(POLL_MS);
      if (!isUnfinished(await this.deposits.readAgain(row))) return false;
    }
    return false;
  }
}
