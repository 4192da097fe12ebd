import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { AppError, UnknownResource } from '../core/errors.js';
import { newDepositNumber, newDepositReference } from '../core/identifiers.js';
import { formatBaht, type Satang } from '../core/money.js';
import { textProblem } from '../core/text.js';
import { WorkerTask } from '../core/worker-task.js';
import { Database, type Transaction } from '../database/database.js';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { recordEvents } from '../events/event-log.js';
import { MerchantsService } from '../merchants/merchants.service.js';
import { WalletsRepository } from '../wallet/wallets.repository.js';
import { channelAdapter } from './channels/adapters.js';
import { ChannelsService, settingsOf, type KnownChannel } from './channels.service.js';
import { amountsToDeal, chooseAmount } from './dealing.js';
import { expiredEvent } from './deposit.mapper.js';
import { DepositsRepository, type DepositRow, type DepositsFilter, type NewDeposit } from './deposits.repository.js';

/** How often to deal an amount that another deposit takes at the same moment. */
const MAX_DEALS = 5;
const BATCH = 500;
/** Orders of these deposits' merchants wait meanwhile. */
const EXPIRED_AT_ONCE = 100;
const MINUTE_MS = 60_000;

/** A merchant's wish to pay. */
export interface DepositRequest {
  merchantId: number;
  referenceId: string;
  amount: Satang;
  /** A channel's code; without it, the active channel with the lowest priority number that takes the amount. */
  channel?: string | undefined;
  /** How long the offer is valid, in seconds. */
  expiresIn: number;
  metadata?: Record<string, string> | null;
}

/** Makes deposits, ends their offers, and frees their amounts. Payments are booked by `BookingService`. */
@Injectable()
export class DepositsService {
  constructor(
    private readonly database: Database,
    private readonly deposits: DepositsRepository,
    private readonly channels: ChannelsService,
    private readonly merchants: MerchantsService,
    private readonly wallets: WalletsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  list(filter: DepositsFilter): Promise<DepositRow[]> {
    return this.deposits.list(filter);
  }

  /**
   * @param text our number or reference, or the merchant's reference.
   * @throws NOT_FOUND; CONFLICT if several merchants have this reference.
   */
  async get(text: string, merchantId?: number): Promise<DepositRow> {
    const [found, ...others] = await this.deposits.search(text, merchantId);
    if (!found) throw new UnknownResource('deposit', text);
    if (others.length === 0) return found;
    const numbers = [found, ...others].map(
      ({ deposit }) => `${deposit.deposit_number} of merchant ${deposit.merchant_id}`,
    );
    throw new AppError('CONFLICT', `several deposits have the reference ${text}: ${numbers.join(', ')}`);
  }

  /**
   * Makes a deposit for a merchant. The same reference with the same content returns the deposit that it made.
   * @param by the operator who acts for the merchant.
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN for a suspended merchant; DUPLICATE_REFERENCE; SERVICE_UNAVAILABLE without a channel
   * or a free amount.
   */
  async create(request: DepositRequest, by?: Actor): Promise<DepositRow> {
    const { merchantId, referenceId } = request;
    const problem = textProblem(referenceId, 1, 128);
    if (problem) throw new AppError('BAD_REQUEST', `the reference ${problem}`);
    const merchant = await this.merchants.get(merchantId);
    if (merchant.sandbox)
      throw new AppError('BAD_REQUEST', `merchant ${merchantId} is a sandbox merchant: no channel takes its deposits`);
    if (merchant.status !== 'active') throw new AppError('FORBIDDEN', `merchant ${merchantId} is suspended`);
    let channel: KnownChannel | undefined;
    for (let deal = 1; deal <= MAX_DEALS; deal++) {
      const earlier = await this.deposits.findByReferenceId(merchantId, referenceId);
      if (earlier) return repeated(earlier, request);
      const chosen = (channel ??= await this.choose(request));
      const number = await this.database.transaction((tx) => this.deal(tx, request, chosen, by));
      if (number !== null) return this.get(number, merchantId);
    }
    throw noFreeAmount(request.amount);
  }

  /** Ends offers. The ownership of the amount goes on until `hold_until`. */
  @WorkerTask('expired_deposits', { every: 1_000, failed: 'expired deposits could not be ended', once: true })
  async expire(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && (await this.expireSome()) === EXPIRED_AT_ONCE);
  }

  /** Locks wallets before deposits, like a booking, because events need the wallets' locks. @returns how many it found. */
  private expireSome(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const found = await this.deposits.findExpired(tx, EXPIRED_AT_ONCE);
      if (found.length === 0) return 0;
      await this.wallets.lockMany(
        tx,
        found.map(({ merchant_id }) => merchant_id),
      );
      void recordEvents(tx, (await this.deposits.expire(tx, found)).map(expiredEvent));
      return found.length;
    });
  }

  @WorkerTask('held_amounts', { every: 10_000, failed: 'amounts of deposits could not be freed', once: true })
  async freeAmounts(stop: AbortSignal): Promise<void> {
    // A time in minutes may be up to a minute too early.
    const marginMs = this.config.DEPOSIT_SKEW_MS + MINUTE_MS;
    while (!stop.aborted && (await this.deposits.freeAmounts(BATCH, marginMs)) === BATCH);
  }

  private async choose({ channel: code, amount }: DepositRequest): Promise<KnownChannel> {
    const takes = ({ min, max }: { min: Satang; max: Satang }): boolean => amount >= min && amount <= max;
    const active = (await this.channels.list()).filter(({ status }) => status === 'active');
    if (code === undefined) {
      const first = active.find(takes);
      if (!first) throw new AppError('SERVICE_UNAVAILABLE', `no active channel takes ${formatBaht(amount)} THB`);
      return { channel: first, settings: settingsOf(first) };
    }
    const named = active.find((each) => each.code === code);
    if (!named) throw new AppError('BAD_REQUEST', `there is no active channel ${code}`);
    if (!takes(named)) {
      const limits = `${formatBaht(named.min)} to ${formatBaht(named.max)} THB`;
      throw new AppError('BAD_REQUEST', `channel ${code} takes ${limits}, not ${formatBaht(amount)}`);
    }
    return { channel: named, settings: settingsOf(named) };
  }

  /** @returns null if another deposit took the amount or the reference meanwhile. */
  private async deal(
    tx: Transaction,
    request: DepositRequest,
    { channel, settings }: KnownChannel,
    by?: Actor,
  ): Promise<string | null> {
    const { merchantId, referenceId, amount, expiresIn, metadata = null } = request;
    const holdsAmount = settings.recognizedBy === 'amount';
    const amountToPay = holdsAmount ? await this.dealAmount(tx, amount, { channel, settings }) : amount;
    const reference = newDepositReference();
    const ours = { depositNumber: newDepositNumber(), reference, source: by ? 'operator' : 'api' } as const;
    const times = { seconds: expiresIn, holdHours: this.config.DEPOSIT_HOLD_HOURS };
    const qrPayload = channelAdapter(channel.adapter).qrPayload(settings, amountToPay, reference);
    const dealt = { channelId: channel.id, amountToPay, holdsAmount, qrPayload };
    const deposit: NewDeposit = { ...ours, ...times, ...dealt, merchantId, referenceId, amount, metadata };
    if ((await this.deposits.insert(tx, deposit)) === null) return null;
    const detail = {
      deposit_number: deposit.depositNumber,
      reference: referenceId,
      amount: formatBaht(amount),
      channel: channel.code,
    };
    recordAction(tx, by, { action: 'deposit.create', merchantId, detail });
    return deposit.depositNumber;
  }

  private async dealAmount(tx: Transaction, amount: Satang, { channel, settings }: KnownChannel): Promise<Satang> {
    const amounts = amountsToDeal(amount, settings.spread, settings.amountClass);
    const chosen = chooseAmount(await this.deposits.dealtBefore(tx, channel.id, amounts));
    if (chosen === null) throw noFreeAmount(amount);
    return chosen;
  }
}

const noFreeAmount = (amount: Satang): AppError =>
  new AppError('SERVICE_UNAVAILABLE', `every amount near ${formatBaht(amount)} THB is reserved: nothing was created`);

/** @throws DUPLICATE_REFERENCE for other content. */
function repeated(earlier: DepositRow, { amount, channel, metadata = null }: DepositRequest): DepositRow {
  const { deposit } = earlier;
  const isSame =
    deposit.amount === amount &&
    (channel === undefined || earlier.channel === channel) &&
    JSON.stringify(deposit.metadata) === JSON.stringify(metadata);
  if (isSame) return earlier;
  throw new AppError('DUPLICATE_REFERENCE', `the reference ${deposit.reference_id} was used for another deposit`);
}
