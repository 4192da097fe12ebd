import { Inject, Injectable } from '@nestjs/common';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { LOGGER } from '../core/core.module.js';
import { AppError } from '../core/errors.js';
import { DAY_MS } from '../core/durations.js';
import type { Logger } from '../core/logger.js';
import { formatBaht, type Satang } from '../core/money.js';
import { WorkerTask } from '../core/worker-task.js';
import { Database } from '../database/database.js';
import { ChannelCallsService } from './channel-calls.service.js';
import { ChannelsRepository } from './channels.repository.js';
import type { ConnectedChannel } from './channel-registry.js';
import { ChannelsService } from './channels.service.js';
import type { ChannelAdapter, ChargeReading, NoAnswer, PaymentsPage } from './channels/channel-adapter.js';
import { eachChannel } from './each-channel.js';
import { IncomingChargesService, isReport, type ChargeCounts } from './incoming-charges.service.js';
import { PaymentsRepository, type ChargeRow } from './payments.repository.js';

const SINCE_MS = 3 * DAY_MS;
/** How many unreadable entries of a list a warning names. A new status of the vendor makes each charge unreadable. */
const MAX_NAMED = 3;

/** What a vendor's list changed. `seen`: how many paid or reversed payments it has. `unreadable`: how many entries can't be read. */
interface ListCounts extends ChargeCounts {
  code: string;
  seen: number;
  unreadable: number;
}

/** Why entries of a list can't be read, by their ids. */
type Unreadable = Map<string, string>;

/** Reads vendors' lists of payments: for lost callbacks, payments of ended deposits, and refunds. */
@Injectable()
export class VendorListsService {
  constructor(
    private readonly database: Database,
    private readonly channels: ChannelsService,
    private readonly rows: ChannelsRepository,
    private readonly calls: ChannelCallsService,
    private readonly charges: IncomingChargesService,
    private readonly payments: PaymentsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('channel_lists', { every: 60_000, failed: 'a list of payments could not be read' })
  async readDue(stop: AbortSignal): Promise<void> {
    await eachChannel(await this.channels.list(), async (channel) => {
      if (stop.aborted) return;
      const connected = this.channels.connect(channel);
      if (!connected.adapter.list || !(await this.rows.claimList(channel.id))) return;
      await this.readAll(connected, new Date(Date.now() - SINCE_MS));
      await this.rows.postponeList(channel.id);
    });
  }

  /**
   * Reads the list for an operator. The log has an entry of it also if the list can't be read to its end.
   * @throws NOT_FOUND; BAD_REQUEST without a list; TOO_MANY_REQUESTS while an operator has it read already; SERVICE_UNAVAILABLE
   * if it can't be read to its end.
   */
  async sync(code: string, by: Actor, since = new Date(Date.now() - SINCE_MS)): Promise<ListCounts> {
    const connected = await this.channels.connectByCode(code);
    const { id } = connected.channel;
    listOf(connected);
    let until = await this.database.transaction(async (tx) => {
      const begun = await this.rows.beginReading(tx, id);
      if (!begun) throw beingRead(code);
      recordAction(tx, by, { action: 'channel.sync', detail: { code, since: since.toISOString() } });
      return begun;
    });
    const renew = async (): Promise<void> => {
      const renewed = await this.rows.renewReading(id, until);
      if (!renewed) throw beingRead(code);
      until = renewed;
    };
    try {
      return await this.readAll(connected, since, renew);
    } finally {
      // It ends soon also without this, and the reading's own error says more.
      await this.rows.endReading(id, until).catch(() => undefined);
    }
  }

  /**
   * Compares the vendor's list with our payments of a time.
   * @param stop the end of the time, which is exclusive. @returns a sentence for each difference.
   * @throws as {@link sync}, but for TOO_MANY_REQUESTS.
   */
  async compare(code: string, start: Date, stop: Date): Promise<string[]> {
    const connected = await this.channels.connectByCode(code);
    const listed = new Map<string, { amount: Satang; refunded: Satang } | null>();
    for await (const page of this.pages(connected, start))
      for (const { paymentId, reading } of page)
        if (reading.kind === 'reversed') listed.set(paymentId, null);
        else if (reading.kind === 'paid' && reading.payment.paidAt >= start && reading.payment.paidAt < stop)
          listed.set(paymentId, reading.payment);
    const ours = await this.payments.listCharges(connected.channel.id, start, stop);
    const isOurs = new Set(ours.map(({ charge_ref }) => charge_ref));
    const missing = [...listed].flatMap(([id, charge]) =>
      charge && !isOurs.has(id) ? [`charge ${id} of ${formatBaht(charge.amount)} is not here`] : [],
    );
    return [...missing, ...ours.flatMap((payment) => differenceOf(payment, listed) ?? [])];
  }

  /** @param renew is called with each page. */
  private async readAll(connected: ConnectedChannel, since: Date, renew?: () => Promise<void>): Promise<ListCounts> {
    const { code } = connected.channel;
    const sum: ChargeCounts = { new: 0, booked: 0, waiting: 0, takenBack: 0 };
    const seen = new Set<string>();
    const unreadable: Unreadable = new Map();
    for await (const page of this.pages(connected, since, unreadable)) {
      await renew?.();
      const counts = await this.charges.record(connected, page);
      for (const { paymentId } of page) seen.add(paymentId);
      for (const count of ['new', 'booked', 'waiting', 'takenBack'] as const) sum[count] += counts[count];
    }
    return { code, seen: seen.size, unreadable: unreadable.size, ...sum };
  }

  /** Reads all pages of the list, also if entries can't be read. One warning at the end names the first of these. */
  private async *pages(
    connected: ConnectedChannel,
    since: Date,
    unreadable: Unreadable = new Map(),
  ): AsyncGenerator<ChargeReading[]> {
    try {
      yield* this.readPages(connected, since, unreadable);
    } finally {
      const first = [...unreadable].slice(0, MAX_NAMED).map(([charge, reason]) => ({ charge, reason }));
      const counts = { channel: connected.channel.code, unreadable: unreadable.size, first };
      if (unreadable.size > 0) this.logger.warn(counts, "entries of a list of payments can't be read");
    }
  }

  /** Pages of paid and reversed payments. @param unreadable gets the entries that can't be read. */
  private async *readPages(
    connected: ConnectedChannel,
    since: Date,
    unreadable: Unreadable,
  ): AsyncGenerator<ChargeReading[]> {
    const { channel, settings } = connected;
    const list = listOf(connected);
    let next: string | null = null;
    do {
      const place: string | null = next;
      const read = (): Promise<PaymentsPage | NoAnswer> => list.read(settings, since, place);
      const page: PaymentsPage | NoAnswer = await this.calls.call(channel, 'list', read);
      if (page.kind === 'unknown')
        throw new AppError('SERVICE_UNAVAILABLE', `the list of channel ${channel.code} can't be read: ${page.detail}`);
      for (const { paymentId, reading } of page.payments)
        if (reading.kind === 'unknown') unreadable.set(paymentId, reading.detail);
      const payments = page.payments.filter(isReport);
      yield page.isOfAnyAge ? await this.charges.onlyOurs(channel.id, payments) : payments;
      next = page.next;
    } while (next !== null);
  }
}

const beingRead = (code: string): AppError =>
  new AppError('TOO_MANY_REQUESTS', `the list of channel ${code} is being read: wait until that has ended`, {
    retryAfterSeconds: 10,
  });

/** @throws BAD_REQUEST */
function listOf({ channel, adapter: { list } }: ConnectedChannel): NonNullable<ChannelAdapter['list']> {
  if (list) return list;
  throw new AppError('BAD_REQUEST', `the adapter ${channel.adapter} has no list: import statements instead`);
}

/** @param listed null for a payment that was reversed. */
function differenceOf(
  { public_id, charge_ref, amount, taken_back }: ChargeRow,
  listed: ReadonlyMap<string, { amount: Satang; refunded: Satang } | null>,
): string | null {
  const charge = listed.get(charge_ref);
  const here = [amount, taken_back ?? 0n] as const;
  if (charge === undefined) return `payment ${public_id} of ${formatBaht(amount)} is not in the list (${charge_ref})`;
  const there = charge === null ? ([amount, amount] as const) : ([charge.amount, charge.refunded] as const);
  if (here[0] === there[0] && here[1] === there[1]) return null;
  const inWords = ([paid, back]: readonly [Satang, Satang]): string => `${formatBaht(paid)} less ${formatBaht(back)}`;
  return `payment ${public_id} is ${inWords(here)} here, and ${inWords(there)} in the list (${charge_ref})`;
}
