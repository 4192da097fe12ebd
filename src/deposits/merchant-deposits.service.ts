import { Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { AppError, databaseUnavailable } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { checkedBaht } from '../core/money.js';
import { readMoment } from '../core/moments.js';
import { decodeCursor, encodeCursor, MAX_BIGINT, pageLimit, toPage, type Page } from '../core/pagination.js';
import { mayBeStored } from '../core/text.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import type { CreateDepositDto, DepositListQuery, PresentSlipDto } from './deposit-requests.dto.js';
import type { DepositDto } from './deposit.dto.js';
import { toDepositDto, toDepositWithImage } from './deposit.mapper.js';
import { DepositsRepository, type DepositRow } from './deposits.repository.js';
import { readMiniQr } from './slips/mini-qr.js';
import { SlipsService } from './slips/slips.service.js';
import { DepositsService, type CreatedDeposit as Created, type DepositRequest } from './deposits.service.js';

const EXPIRES_IN = 900;
/** How many creations of a merchant may be under way in a process. */
const MAX_CREATING = 100;
/** How long a creation may wait for the earlier ones before it is refused with 503; nothing was created then. */
const MAX_WAIT_MS = 5_000;
/** No deposit has a longer reference, so a longer one needs no query. */
const MAX_REFERENCE_LENGTH = 256;

/**
 * A merchant's deposits, for the merchant. Reads, creations and new slips use a bounded number of connections, so that
 * orders keep theirs. Other work, such as that around a call to a vendor, has no such bound.
 */
@Injectable()
export class MerchantDepositsService {
  private readonly creating = new Map<number, { last: Promise<unknown>; count: number }>();

  constructor(
    private readonly service: DepositsService,
    private readonly deposits: DepositsRepository,
    private readonly bounded: BoundedReadsService,
    private readonly slips: SlipsService,
  ) {}

  /** @throws as {@link DepositsService.make} and {@link DepositsService.finish} */
  async create(caller: Caller, dto: CreateDepositDto): Promise<{ deposit: DepositDto; replayed: boolean }> {
    const { reference_id: referenceId, amount, channel, expires_in: expiresIn, metadata } = dto;
    const { merchantId, sandbox } = caller;
    const request: DepositRequest = {
      merchantId,
      referenceId,
      amount: checkedBaht(amount),
      channel: channel ?? undefined,
      expiresIn: expiresIn ?? EXPIRES_IN,
      metadata: metadata ?? null,
    };
    const make = (): Promise<Created> => this.bounded.run(() => this.service.make(request, sandbox));
    // A repetition must not wait behind creations, whose number and time are limited.
    const earlier = await this.bounded.run(() => this.service.findEarlier(request));
    const made = earlier ?? (await this.oneAtATime(merchantId, make));
    // Outside of the bounds and of the queue, because it calls a vendor.
    const { row, replayed } = await this.service.finish(made);
    return { deposit: toDepositWithImage(row), replayed };
  }

  /** @throws NOT_FOUND */
  async get(merchantId: number, referenceId: string): Promise<DepositDto> {
    return toDepositWithImage(await this.find(merchantId, referenceId));
  }

  /** Newest first. @throws BAD_REQUEST for a bad cursor */
  async list(merchantId: number, query: DepositListQuery): Promise<Page<DepositDto>> {
    const limit = pageLimit(query);
    const rows = await this.deposits.page({
      merchantId,
      status: query.status ?? null,
      referenceId: query.reference_id,
      createdFrom: query.created_from === undefined ? null : readMoment(query.created_from),
      createdTo: query.created_to === undefined ? null : readMoment(query.created_to),
      before: decodeCursor(query.cursor, [MAX_BIGINT])?.[0] ?? MAX_BIGINT,
      limit: limit + 1,
    });
    return toPage(rows, limit, ({ deposit }) => encodeCursor(deposit.id), toDepositDto);
  }

  /** Ends the offer; a payment still counts. @throws NOT_FOUND; CONFLICT for a deposit that is paid or expired. */
  async cancel(merchantId: number, referenceId: string): Promise<DepositDto> {
    if (mayBeStored(referenceId, MAX_REFERENCE_LENGTH))
      await this.bounded.run(() => this.service.cancel(merchantId, referenceId));
    const row = await this.find(merchantId, referenceId);
    const { status } = row.deposit;
    if (status !== 'cancelled') throw new AppError('CONFLICT', `The deposit is ${status}: it can’t be cancelled`);
    return toDepositWithImage(row);
  }

  /** @throws NOT_FOUND; as {@link SlipsService.present}. */
  async presentSlip(merchantId: number, referenceId: string, { payload }: PresentSlipDto): Promise<DepositDto> {
    const slip = present(readMiniQr(payload), 'the text of a slip was checked');
    await this.slips.present(await this.find(merchantId, referenceId), slip);
    return this.get(merchantId, referenceId);
  }

  /** Creations of a merchant wait for each other in the database. Here they wait without a connection, which others may need. */
  private async oneAtATime(merchantId: number, create: () => Promise<Created>): Promise<Created> {
    const creating = this.creating.get(merchantId) ?? { last: Promise.resolve(), count: 0 };
    if (creating.count >= MAX_CREATING)
      throw new AppError('TOO_MANY_REQUESTS', 'Too many new deposits at once: please slow down', {
        retryAfterSeconds: 1,
      });
    this.creating.set(merchantId, creating);
    creating.count++;
    const queuedAtMs = performance.now();
    const begin = (): Promise<Created> => {
      // The earlier creations wait for a database that is away or busy. After this wait, a creation would end too late
      // for its client.
      if (performance.now() - queuedAtMs > MAX_WAIT_MS) throw databaseUnavailable();
      return create();
    };
    const created = creating.last.then(begin, begin);
    creating.last = created;
    try {
      return await created;
    } finally {
      if (--creating.count === 0) this.creating.delete(merchantId);
    }
  }

  private async find(merchantId: number, referenceId: string): Promise<DepositRow> {
    const isPossible = mayBeStored(referenceId, MAX_REFERENCE_LENGTH);
    const found = isPossible ? await this.deposits.find(this.bounded, merchantId, referenceId) : undefined;
    if (!found) throw new AppError('NOT_FOUND', 'There is no deposit with this reference_id');
    return found;
  }
}
