import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { statement } from '../../database/parameters.js';
import { removalOfOld } from '../../database/remove-in-batches.js';
import { NOW } from '../deposits.sql.js';
import { ChannelCallback, type ChannelCallbackVerdict } from './channel-callback.entity.js';

/** How many inquiries about payments of no known deposit a channel may have a minute. */
const PER_MINUTE = 10;
const PER_HOUR = 60 * PER_MINUTE;

/**
 * In SQL: whether workers must inquire about the payment of a callback now. Without an answer, they give up after two
 * hours. `ask_at` is never before `received_at`, so its lower bound excludes no callback that is due. The bound lets
 * the index skip callbacks on which workers gave up.
 */
export const CALLBACK_IS_DUE = `ask_at <= statement_timestamp() AND asked_at IS NULL
  AND ask_at > statement_timestamp() - interval '2 hours' AND received_at > statement_timestamp() - interval '2 hours'`;

/**
 * Records a callback. Workers inquire about its payment at once, but not within two seconds after the last inquiry about it.
 * If no known deposit has the payment, the inquiry also waits for the limit of claims, and beyond `PER_HOUR` of these callbacks
 * in an hour there is none.
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
      SELECT greatest(${NOW}, (SELECT max(coalesce(claimed_at, ask_at)) FROM channel_callbacks
                               WHERE channel_id = ${channelId} AND ask_at > statement_timestamp() - interval '1 minute'
                                 AND charge_ref = ${charge}) + interval '2 seconds') AS at
      WHERE ${charge} IS NOT NULL AND NOT EXISTS (SELECT FROM woken)
        AND NOT EXISTS (SELECT FROM channel_callbacks
                        WHERE channel_id = ${channelId} AND ask_at > statement_timestamp() - interval '1 hour'
                        OFFSET ${PER_HOUR} - 1))
    INSERT INTO channel_callbacks (channel_id, received_at, remote_address, verdict, charge_ref, detail, ask_at)
    SELECT ${channelId}, ${NOW}, ${address},
           coalesce(${verdict}, CASE WHEN EXISTS (SELECT FROM woken) THEN 'woke' ELSE 'unknown_charge' END), ${charge}, ${detail},
           (SELECT at FROM asking)
    RETURNING verdict`,
);

/** One claim of a channel at a time, so that its limit holds. The first number is unique among our advisory locks. */
const LOCK_UNKNOWN = statement(
  'channel_callbacks.lock_unknown',
  { channelId: 'int' },
  ({ channelId }) => `SELECT pg_advisory_xact_lock(hashtext('channel_callbacks'), ${channelId})`,
);

/**
 * Claims inquiries that are due, in turns one that was never made and one that had no answer: some charges never get an answer, and a
 * stranger with the callback address can report any number of charges. Chance decides which of the two is first, because often only
 * one can be claimed. An inquiry with an answer counts against the limit for a minute. One without an answer counts until it is
 * repeated, and that wait grows with the age of its callback. So a vendor that does not answer, or that we call too often, soon gets one
 * such call a minute, and can answer about deposits.
 */
const CLAIM_UNKNOWN = statement(
  'channel_callbacks.claim_unknown',
  { channelId: 'int' },
  ({ channelId }) => `
    WITH due AS (
      SELECT id, row_number() OVER (PARTITION BY claimed_at IS NULL ORDER BY ask_at) AS turn
      FROM channel_callbacks WHERE channel_id = ${channelId} AND ${CALLBACK_IS_DUE}),
    claimed AS (
      SELECT c.id FROM due JOIN channel_callbacks c ON c.id = due.id WHERE ${CALLBACK_IS_DUE}
      ORDER BY due.turn, random()
      LIMIT greatest(0, ${PER_MINUTE} - (
        SELECT count(*) FROM channel_callbacks
        WHERE channel_id = ${channelId} AND ask_at > statement_timestamp() AND claimed_at IS NOT NULL))
      FOR UPDATE OF c SKIP LOCKED)
    UPDATE channel_callbacks SET claimed_at = ${NOW},
      ask_at = ${NOW} + least(greatest(${NOW} - received_at, interval '1 minute'), interval '10 minutes')
    WHERE id IN (SELECT id FROM claimed)
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

  claimUnknown(channelId: number): Promise<UnknownCharge[]> {
    return this.database.transaction((tx) => {
      tx.write(...LOCK_UNKNOWN.with({ channelId }));
      return tx.query<UnknownCharge>(...CLAIM_UNKNOWN.with({ channelId }));
    });
  }

  async answered({ id }: UnknownCharge): Promise<void> {
    const members = { asked_at: () => NOW, ask_at: () => `claimed_at + interval '1 minute'` };
    await this.database.manager.update(ChannelCallback, { id }, members);
  }

  async removeOld(days: number, limit: number): Promise<number> {
    return (await this.database.query(...REMOVE_OLD.with({ days, limit, clockLimit: null }))).length;
  }
}
