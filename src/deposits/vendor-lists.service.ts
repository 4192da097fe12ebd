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
/** How many unreadable entries of a list a warning names. After the vendor adds a status, there may be many. */
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
      const connected = this.channels.tryConnect(channel);
      if (!connected?.adapter.list || !(await this.rows.claimList(channel.id))) return;
      const until = await this.rows.beginReading(this.database, channel.id);
      // Another reading runs, such as an operator's. This one follows in an hour.
      if (!until) return;
      await this.readAll(connected, new Date(Date.now() - SINCE_MS), until);
      await this.rows.postponeList(channel.id);
    });
  }

  /**
   * Reads the list for an operator. The audit log gets an entry even if the list can't be read to its end.
   * @throws NOT_FOUND; BAD_REQUEST without a list; TOO_MANY_REQUESTS while it is being read already; SERVICE_UNAVAILABLE if it can't
   * be read to its end.
   */
  async sync(code: string, by: Actor, since = new Date(Date.now() - SINCE_MS)): Promise<ListCounts> {
    const connected = await this.channels.connectByCode(code);
    const until = await this.database.transaction(async (tx) => {
      const begun = await this.begin(tx, connected);
      recordAction(tx, by, { action: 'channel.sync', detail: { code, since: since.toISOString() } });
      return begun;
    });
    return this.readAll(connected, since, until);
  }

  /**
   * Compares the vendor's list with our payments of a period.
   * @param stop the exclusive end of the period. @returns a sentence for each difference. @throws as {@link sync}.
   */
  async compare(code: string, start: Date, stop: Date): Promise<string[]> {
    const connected = await this.channels.connectByCode(code);
    const until = await this.begin(this.database, connected);
    const listed = new Map<string, { amount: Satang; refunded: Satang } | null>();
    for await (const page of this.pages(connected, start, until))
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

  /**
   * Begins a reading. @returns when it ends unless it is renewed.
   * @throws BAD_REQUEST without a list; TOO_MANY_REQUESTS during another reading.
   */
  private async begin(from: Pick<Database, 'manager'>, connected: ConnectedChannel): Promise<Date> {
    listOf(connected);
    const { id, code } = connected.channel;
    return (await this.rows.beginReading(from, id)) ?? beingRead(code);
  }

  /** @param until when the reading, which has begun, ends unless it is renewed. */
  private async readAll(connected: ConnectedChannel, since: Date, until: Date): Promise<ListCounts> {
    const { code } = connected.channel;
    const sum: ChargeCounts = { new: 0, booked: 0, waiting: 0, takenBack: 0 };
    const seen = new Set<string>();
    const unreadable: Unreadable = new Map();
    for await (const page of this.pages(connected, since, until, unreadable)) {
      const readAtMs = performance.now();
      const readings = page.map((reading) => ({ ...reading, readAtMs }));
      const counts = await this.charges.record(connected, readings);
      for (const { paymentId } of page) seen.add(paymentId);
      for (const count of ['new', 'booked', 'waiting', 'takenBack'] as const) sum[count] += counts[count];
    }
    return { code, seen: seen.size, unreadable: unreadable.size, ...sum };
  }

  /**
   * Reads all pages of the list, even if entries can't be read, and ends the reading. One warning at the end names the first
   * unreadable entries.
   * @param until when the reading, which has begun, ends unless it is renewed. Each page renews the reading.
   */
  private async *pages(
    connected: ConnectedChannel,
    since: Date,
    until: Date,
    unreadable: Unreadable = new Map(),
  ): AsyncGenerator<ChargeReading[]> {
    const { id, code } = connected.channel;
    let ends = until;
    try {
      for await (const page of this.readPages(connected, since, unreadable)) {
        ends = (await this.rows.renewReading(id, ends)) ?? beingRead(code);
        yield page;
      }
    } finally {
      // Without this call, the reading ends within two minutes. An error of the reading says more than an error of this call.
      await this.rows.endReading(id, ends).catch(() => undefined);
      const first = [...unreadable].slice(0, MAX_NAMED).map(([charge, reason]) => ({ charge, reason }));
      const counts = { channel: code, unreadable: unreadable.size, first };
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

/** @throws TOO_MANY_REQUESTS */
function beingRead(code: string): never {
  const message = `the list of channel ${code} is being read: wait until that has ended`;
  throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 10 });
}

/** @throws BAD_REQUEST */
function listOf({ channel, adapter: { list } }: ConnectedChannel): NonNullable<ChannelAdapter['list']> {
  if (list) return list;
  throw new AppError('BAD_REQUEST', `the adapter ${channel.adapter} has no list: import statements instead`);
}

/** @param listed has null for a payment that was reversed. */
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
