import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { DAY_MS } from '../core/durations.js';
import { WorkerTask } from '../core/worker-task.js';
import { ChannelCallsService } from './channel-calls.service.js';
import { ChannelsRepository } from './channels.repository.js';
import type { KnownChannel } from './channel-registry.js';
import { ChannelsService } from './channels.service.js';
import type { NoAnswer, PaymentsPage } from './channels/channel-adapter.js';
import { IncomingChargesService, type TakenCharges } from './incoming-charges.service.js';

const SINCE_MS = 3 * DAY_MS;

/** What a vendor's list changed. `seen`: how many paid or reversed payments it has. */
export interface ListTaken extends TakenCharges {
  code: string;
  seen: number;
}

/** Reads vendors' lists of payments: for lost callbacks, payments of ended deposits, and refunds. */
@Injectable()
export class ChannelListsService {
  constructor(
    private readonly channels: ChannelsService,
    private readonly rows: ChannelsRepository,
    private readonly calls: ChannelCallsService,
    private readonly charges: IncomingChargesService,
  ) {}

  @WorkerTask('channel_lists', { every: 60_000, failed: 'a list of payments could not be read' })
  async readDue(stop: AbortSignal): Promise<void> {
    for (const channel of await this.channels.list()) {
      if (stop.aborted) return;
      const known = this.channels.connect(channel);
      if (!known.adapter.list || !(await this.rows.claimList(channel.id))) continue;
      await this.readAll(known, new Date(Date.now() - SINCE_MS));
      await this.rows.endList(channel.id);
    }
  }

  /** @throws NOT_FOUND; BAD_REQUEST without a list; SERVICE_UNAVAILABLE if the list can't be read to its end. */
  async sync(code: string, since: Date = new Date(Date.now() - SINCE_MS)): Promise<ListTaken> {
    return this.readAll(await this.channels.known(code), since);
  }

  private async readAll(known: KnownChannel, since: Date): Promise<ListTaken> {
    const { channel, adapter, settings } = known;
    const { list } = adapter;
    if (!list)
      throw new AppError('BAD_REQUEST', `the adapter ${channel.adapter} has no list: import statements instead`);
    const sum: ListTaken = { code: channel.code, seen: 0, new: 0, booked: 0, waiting: 0, takenBack: 0 };
    let next: string | null = null;
    do {
      const place: string | null = next;
      const page: PaymentsPage | NoAnswer = await this.calls.call(channel, 'list', () =>
        list.read(settings, since, place),
      );
      if (page.kind === 'unknown')
        throw new AppError('SERVICE_UNAVAILABLE', `the list of channel ${channel.code} can't be read: ${page.detail}`);
      const reported = page.payments.filter(({ reading: { kind } }) => kind === 'paid' || kind === 'reversed');
      const taken = await this.charges.take(known, reported);
      sum.seen += reported.length;
      for (const count of ['new', 'booked', 'waiting', 'takenBack'] as const) sum[count] += taken[count];
      next = page.next;
    } while (next !== null);
    return sum;
  }
}
