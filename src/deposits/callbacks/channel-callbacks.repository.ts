import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { statement } from '../../database/parameters.js';
import { removalOfOld } from '../../database/remove-in-batches.js';
import { NOW } from '../deposits.sql.js';
import { ChannelCallback, type ChannelCallbackVerdict } from './channel-callback.entity.js';

/** In SQL: whether the inquiry after a callback is recent or still to come. Older inquiries delay no other one. */
const LATELY = `ask_at > statement_timestamp() - interval '1 minute'`;

/**
 * In SQL: whether workers must inquire about the payment of a callback now. Without an answer, they give up after two
 * hours. `ask_at` is never before `received_at`, so its lower bound excludes no callback that is due. The bound lets
 * the index skip callbacks on which workers gave up.
 */
export const CALLBACK_IS_DUE = `ask_at <= statement_timestamp() AND asked_at IS NULL
  AND ask_at > statement_timestamp() - interval '2 hours' AND received_at > statement_timestamp() - interval '2 hours'`;

/**
 * Records a callback. If it is about a deposit's payment, workers inquire at once, but not within two seconds after
 * the last inquiry. About payments of no known deposit, at most ten callbacks a minute of a channel get their first
 * inquiry. Others wait for up to an hour, and a longer wait means no inquiry. Without an answer, workers repeat an
 * inquiry outside of this limit.
 */
const RECORD = statement(
  'channel_callbacks.record',
  { channelId: 'int', address: 'text', verdict: 'text?', charge: 'text?', detail: 'text?' },
  ({ channelId, address, verdict, charge, detail }) => `
    WITH woken AS (
      UPDATE deposits SET
        next_inquiry_at = least(coalesce(next_inquiry_at, 'infinity'), greatest(${NOW}, asked_at + interval '2 seconds'))
      WHERE channel_id = ${channelId} AND channel_payment_id = ${charge} RETURNING id),
    asking AS (
      SELECT greatest(${NOW},
        (SELECT max(ask_at) FROM channel_callbacks WHERE channel_id = ${channelId} AND ${LATELY}
           AND charge_ref = ${charge}) + interval '2 seconds',
        (SELECT ask_at FROM channel_callbacks WHERE channel_id = ${channelId} AND ${LATELY}
         ORDER BY ask_at DESC OFFSET 9 LIMIT 1) + interval '1 minute') AS at
      WHERE ${charge} IS NOT NULL AND NOT EXISTS (SELECT FROM woken))
    INSERT INTO channel_callbacks (channel_id, received_at, remote_address, verdict, charge_ref, detail, ask_at)
    SELECT ${channelId}, ${NOW}, ${address},
           coalesce(${verdict}, CASE WHEN EXISTS (SELECT FROM woken) THEN 'woke' ELSE 'unknown_charge' END), ${charge}, ${detail},
           (SELECT at FROM asking WHERE at < ${NOW} + interval '1 hour')
    RETURNING verdict`,
);

const CLAIM_UNKNOWN = statement(
  'channel_callbacks.claim_unknown',
  { channelId: 'int', limit: 'int', leaseMs: 'int' },
  ({ channelId, limit, leaseMs }) => `
    UPDATE channel_callbacks SET ask_at = ${NOW} + ${leaseMs} * interval '1 ms'
    WHERE id IN (SELECT id FROM channel_callbacks
                 WHERE channel_id = ${channelId} AND ${CALLBACK_IS_DUE}
                 ORDER BY ask_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id, charge_ref`,
);

const REMOVE_OLD = removalOfOld('channel_callbacks', 'id', 'received_at');

/** A callback about a payment of no known deposit. */
export type UnknownCharge = Pick<ChannelCallback, 'id'> & { charge_ref: string };

@Injectable()
export class ChannelCallbacksRepository {
  constructor(private readonly database: Database) {}

  /** @param verdict null for a callback about a payment. @returns the verdict. @throws SERVICE_UNAVAILABLE */
  async record(callback: {
    channelId: number;
    address: string;
    verdict: ChannelCallbackVerdict | null;
    charge: string | null;
    detail: string | null;
  }): Promise<ChannelCallbackVerdict | undefined> {
    const recorded = await this.database.query<Pick<ChannelCallback, 'verdict'>>(...RECORD.with(callback));
    return recorded[0]?.verdict;
  }

  claimUnknown(channelId: number, limit: number, leaseMs: number): Promise<UnknownCharge[]> {
    return this.database.query<UnknownCharge>(...CLAIM_UNKNOWN.with({ channelId, limit, leaseMs }));
  }

  async answered({ id }: UnknownCharge): Promise<void> {
    await this.database.manager.update(ChannelCallback, { id }, { asked_at: () => NOW });
  }

  async removeOld(days: number, limit: number): Promise<number> {
    return (await this.database.query(...REMOVE_OLD.with({ days, limit }))).length;
  }
}
