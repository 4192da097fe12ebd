import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { MINUTE_MS } from '../core/durations.js';
import { groupBy } from '../core/groups.js';
import { AppError, refusal, UnknownResource } from '../core/errors.js';
import { newDepositNumber, newDepositReference } from '../core/identifiers.js';
import { formatBaht, type Satang } from '../core/money.js';
import { SANDBOX_CHANNEL_ID } from '../core/sandbox.js';
import { textProblem } from '../core/text.js';
import { WorkerTask } from '../core/worker-task.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { recordEvents } from '../events/event-log.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { WalletsRepository } from '../wallet/wallets.repository.js';
import { VendorQrCodesService } from './vendor-qr-codes.service.js';
import type { ConnectedChannel } from './channel-registry.js';
import { chooseChannel } from './channel-choice.js';
import { ChannelsService } from './channels.service.js';
import { amountsToDeal, chooseAmount, type FreeAmount } from './dealing.js';
import type { DepositChannel } from './deposit-channel.entity.js';
import { expiredEvent } from './deposit.mapper.js';
import { DepositsObserver } from './deposits.observer.js';
import {
  DepositsRepository,
  isUnfinished,
  withPayments,
  type DepositRow,
  type DepositsFilter,
  type FoundDeposit,
  type Offer,
} from './deposits.repository.js';
import { SandboxPaymentsService } from './sandbox/sandbox-payments.service.js';
import { offerInSandbox } from './sandbox/sandbox-plan.js';

/** The maximum number of tries to deal an amount: another deposit may get the same amount at the same moment. */
const MAX_DEALS = 5;
const BATCH = 500;
const EXPIRED_AT_ONCE = 100;

export interface DepositRequest {
  merchantId: number;
  referenceId: string;
  amount: Satang;
  /** A channel's code; without it, the channel with the lowest priority number that takes the amount and makes deposits now. */
  channel?: string | undefined;
  /** The time until the deposit expires, in seconds. */
  expiresIn: number;
  metadata?: Record<string, string> | null;
}

/** A deposit in its current state. `replayed`: the same request made it before. */
export interface CreatedDeposit {
  row: DepositRow;
  replayed: boolean;
}

/** Makes, cancels and expires deposits, and frees their amounts. Payments are booked by `BookingService`. */
@Injectable()
export class DepositsService {
  constructor(
    private readonly database: Database,
    private readonly deposits: DepositsRepository,
    private readonly channels: ChannelsService,
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletsRepository,
    private readonly sandbox: SandboxPaymentsService,
    private readonly notifier: WorkNotifier,
    private readonly observer: DepositsObserver,
    private readonly qrCodes: VendorQrCodesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  list(filter: DepositsFilter): Promise<DepositRow[]> {
    return this.deposits.list(filter);
  }

  /**
   * @param text our number or reference; if no deposit has it, the merchant's reference. A merchant may choose any text, even the
   * number of another deposit.
   * @throws NOT_FOUND; CONFLICT if several merchants have this reference.
   */
  async get(text: string, merchantId?: number): Promise<DepositRow> {
    for (const name of ['deposit_number', 'reference', 'reference_id'] as const) {
      const found = await this.deposits.search(name, text, merchantId);
      const numbers = found.map(({ deposit }) => `${deposit.deposit_number} of merchant ${deposit.merchant_id}`);
      const choice = `add --merchant, or give a number: ${numbers.join(', ')}`;
      if (numbers.length > 1) throw new AppError('CONFLICT', `several deposits have the reference ${text}: ${choice}`);
      if (found[0]) return found[0];
    }
    throw new UnknownResource('deposit', text);
  }

  /** @throws NOT_FOUND */
  async getByNumber(number: string): Promise<DepositRow> {
    const [found] = await this.deposits.search('deposit_number', number);
    if (!found) throw new UnknownResource('deposit', number);
    return found;
  }

  /**
   * Makes a deposit for a merchant, as an operator, with its QR code. Repeating the request returns the same deposit.
   * @throws as {@link make} and {@link finish}; NOT_FOUND; BAD_REQUEST; FORBIDDEN for a suspended merchant; DUPLICATE_REFERENCE.
   */
  async create(request: DepositRequest, by: Actor): Promise<CreatedDeposit> {
    const { merchantId, referenceId } = request;
    const problem = textProblem(referenceId, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the reference ${problem}`);
    const { sandbox, status } = await this.merchants.get(merchantId);
    if (sandbox)
      throw new AppError('BAD_REQUEST', `merchant ${merchantId} is a sandbox merchant: it has no real money`);
    if (status !== 'active') throw new AppError('FORBIDDEN', `merchant ${merchantId} is suspended`);
    const earlier = await this.findEarlier(request);
    return this.finish(earlier ?? (await this.make(request, sandbox, by)));
  }

  /** If the deposit lacks its QR code, calls the vendor that makes it. @throws SERVICE_UNAVAILABLE if it still lacks one. */
  async finish({ row, replayed }: CreatedDeposit): Promise<CreatedDeposit> {
    const finished = await this.qrCodes.finish(row);
    if (!isUnfinished(finished)) return { row: finished, replayed };
    const message = 'the channel gave no QR code: repeat the request';
    throw refusal('SERVICE_UNAVAILABLE', 'CHANNEL_UNAVAILABLE', 'channel', message, 1);
  }

  /**
   * Makes a deposit, after {@link findEarlier} found none. If an equal request is faster, its deposit is returned.
   * The QR code may still be missing: {@link finish} adds it.
   * @param sandbox whether the merchant is a sandbox merchant.
   * @param by the operator who acts for the merchant. Without one, the merchant's limits hold.
   * @throws BAD_REQUEST; DUPLICATE_REFERENCE; CONFLICT and TOO_MANY_REQUESTS at a limit; SERVICE_UNAVAILABLE without a channel or
   * a free amount.
   */
  async make(request: DepositRequest, sandbox: boolean, by?: Actor): Promise<CreatedDeposit> {
    const channels = sandbox ? [await this.channels.sandbox()] : await this.active(request.channel);
    let channel: DepositChannel;
    try {
      channel = chooseChannel(request, channels, (each) => this.isOpen(each));
    } catch (refused) {
      // An equal request may have made the deposit, or be making it, before its channel was paused or changed.
      await this.deposits.waitForCreations(request.merchantId);
      const meanwhile = await this.findEarlier(request);
      if (meanwhile) return meanwhile;
      throw refused;
    }
    for (let deal = 1; deal <= MAX_DEALS; deal++) {
      const made = await this.database.transaction((tx) => this.deal(tx, request, channel, by));
      if (made) return { row: await this.sandbox.takeFirstReport(made), replayed: false };
      const meanwhile = await this.findEarlier(request);
      if (meanwhile) return meanwhile;
    }
    throw this.noFreeAmount(request.amount, channel);
  }

  /** @returns the deposit that the same request made before; null if there is none. @throws DUPLICATE_REFERENCE */
  async findEarlier(request: DepositRequest): Promise<CreatedDeposit | null> {
    const earlier = await this.deposits.find(this.database, request.merchantId, request.referenceId);
    return earlier ? { row: await this.sandbox.finish(repeated(earlier, request)), replayed: true } : null;
  }

  /** Cancels a merchant's deposit if it is pending. */
  async cancel(merchantId: number, referenceId: string): Promise<void> {
    const cancelled = await this.database.transaction(async (tx) => {
      const ended = await this.deposits.cancel(tx, merchantId, referenceId);
      this.observer.changed(tx, 'cancelled', ended);
      return ended;
    });
    // The merchant does not wait for this call, and the deposit stays cancelled even if the vendor can't cancel its payment.
    for (const each of cancelled) this.qrCodes.cancel(withPayments(each, [])).catch(() => undefined);
  }

  /** Expires deposits. Their amounts stay reserved until {@link freeAmounts}. */
  @WorkerTask('expired_deposits', { every: 1_000, failed: 'expired deposits could not be ended', once: true })
  async expire(stop: AbortSignal): Promise<void> {
    let found: FoundDeposit[];
    do {
      found = await this.deposits.listExpired(EXPIRED_AT_ONCE);
      for (const [merchantId, theirs] of groupBy(found, ({ merchant_id }) => merchant_id))
        if (!stop.aborted) await this.expireOf(merchantId, theirs);
    } while (!stop.aborted && found.length === EXPIRED_AT_ONCE);
  }

  /**
   * Events need the wallet's lock. It comes before the locks of deposits, as in a booking. While it is held, only this merchant's
   * orders wait.
   */
  private expireOf(merchantId: number, found: FoundDeposit[]): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.wallets.lockMany(tx, [merchantId]);
      const expired = await this.deposits.expire(tx, found);
      const events = expired.map((each) => expiredEvent(withPayments(each, [])));
      const webhooks = recordEvents(tx, events);
      this.observer.changed(tx, 'expired', expired);
      tx.afterCommit(async () => this.notifier.notifyWebhooks(await webhooks));
    });
  }

  @WorkerTask('held_amounts', { every: 10_000, failed: 'amounts of deposits could not be freed', once: true })
  async freeAmounts(stop: AbortSignal): Promise<void> {
    // The minute is for banks that report times without seconds: such a time may be up to a minute too early.
    const marginMs = this.config.DEPOSIT_SKEW_MS + MINUTE_MS;
    while (!stop.aborted && (await this.deposits.freeAmounts(BATCH, marginMs)) === BATCH);
  }

  private async active(code?: string): Promise<DepositChannel[]> {
    return (await this.channels.list(code)).filter(({ status }) => status === 'active');
  }

  /** Whether the channel makes deposits now: it is not paused, and its settings can be read. */
  private isOpen(channel: DepositChannel): boolean {
    if (channel.pause_reason !== null) return false;
    return channel.id === SANDBOX_CHANNEL_ID || this.channels.tryConnect(channel) !== null;
  }

  /** @returns null if another deposit took the amount or the reference meanwhile. */
  private async deal(
    tx: Transaction,
    request: DepositRequest,
    channel: DepositChannel,
    by?: Actor,
  ): Promise<DepositRow | null> {
    const { merchantId, referenceId, amount, expiresIn, metadata = null } = request;
    const isSandbox = channel.id === SANDBOX_CHANNEL_ID;
    const connected = isSandbox ? null : this.channels.connect(channel);
    const isFree = by !== undefined || this.isWithinLimits(tx, request, channel);
    // Sent with the limits' statements, so that it takes no round trip of its own.
    const free = connected && this.listFreeAmounts(tx, amount, connected);
    if (!(await isFree)) return null;
    const reference = newDepositReference();
    const offer = connected ? this.offer(amount, connected, reference, await free) : offerInSandbox(amount, expiresIn);
    const ours = { depositNumber: newDepositNumber(), reference, source: by ? 'operator' : 'api' } as const;
    const times = { seconds: expiresIn, holdHours: this.config.DEPOSIT_HOLD_HOURS };
    const of = { merchantId, channelId: channel.id, referenceId, amount, metadata };
    const made = await this.deposits.insert(tx, { ...ours, ...times, ...offer, ...of });
    if (!made) return null;
    this.observer.changed(tx, 'created', [{ channel_id: channel.id, channel: channel.code }]);
    const facts = { deposit_number: ours.depositNumber, reference: referenceId };
    const detail = { ...facts, amount: formatBaht(amount), channel: channel.code };
    recordAction(tx, by, { action: 'deposit.create', merchantId, detail });
    return made;
  }

  /** @returns false if the reference was used meanwhile: limits do not apply to a repetition. @throws at a limit. */
  private async isWithinLimits(
    tx: Transaction,
    { merchantId, referenceId }: DepositRequest,
    { id: channelId, code }: DepositChannel,
  ): Promise<boolean> {
    const { DEPOSIT_MAX_OPEN: maxOpen, DEPOSIT_MAX_HELD: maxHeld, DEPOSIT_CREATE_PER_MINUTE: perMinute } = this.config;
    const by = { merchantId, referenceId, channelId };
    const use = await this.deposits.lockCreations(tx, by, { maxOpen, maxHeld, perMinute });
    if (use.is_made) return false;
    if (maxOpen > 0 && use.open >= maxOpen) {
      const message = `${maxOpen} deposits are pending: pay or cancel one first`;
      throw refusal('CONFLICT', 'TOO_MANY_OPEN', 'reference_id', message);
    }
    if (maxHeld > 0 && use.held >= maxHeld) {
      const held = `${maxHeld} amounts of channel ${code} are reserved for your earlier deposits`;
      const until = `each until ${this.config.DEPOSIT_HOLD_HOURS} hours after its deposit expires`;
      const message = `${held}, ${until}: try again later, or name another channel`;
      throw refusal('CONFLICT', 'TOO_MANY_OPEN', 'channel', message);
    }
    const wait = use.wait_seconds ?? 0;
    if (perMinute === 0 || wait <= 0) return true;
    const message = `More than ${perMinute} new deposits in a minute: please slow down`;
    throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: wait });
  }

  /** The free amounts that may be dealt; null if the channel recognizes payments by their reference. */
  private listFreeAmounts(
    tx: Transaction,
    amount: Satang,
    { channel, settings }: ConnectedChannel,
  ): Promise<FreeAmount[]> | null {
    const { recognizedBy, spread, amountClass } = settings;
    if (recognizedBy !== 'amount') return null;
    return this.deposits.listFreeAmounts(tx, channel.id, amountsToDeal(amount, spread, amountClass));
  }

  private offer(amount: Satang, connected: ConnectedChannel, reference: string, free: FreeAmount[] | null): Offer {
    const { channel, adapter, settings } = connected;
    const amountToPay = free ? chooseAmount(free) : amount;
    if (amountToPay === null) throw this.noFreeAmount(amount, channel);
    const qrPayload = adapter.qrPayload?.(settings, amountToPay, reference) ?? null;
    return { amountToPay, holdsAmount: free !== null, qrPayload, inquiryAfter: null };
  }

  private noFreeAmount(amount: Satang, channel: DepositChannel): AppError {
    this.observer.amountsShort(channel);
    const message = `every amount near ${formatBaht(amount)} THB is reserved: nothing was created`;
    return refusal('SERVICE_UNAVAILABLE', 'NO_FREE_AMOUNT', 'amount', message);
  }
}

/** @throws DUPLICATE_REFERENCE for other content. */
function repeated(earlier: DepositRow, { amount, channel, metadata = null }: DepositRequest): DepositRow {
  const { deposit } = earlier;
  const isSame =
    deposit.amount === amount &&
    (channel === undefined || earlier.channel === channel) &&
    isDeepStrictEqual(deposit.metadata ?? {}, metadata ?? {});
  if (isSame) return earlier;
  throw new AppError('DUPLICATE_REFERENCE', `the reference ${deposit.reference_id} was used for another deposit`);
}
