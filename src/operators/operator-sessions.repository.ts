import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { OperatorSession } from './operator-session.entity.js';
import { statement } from '../database/parameters.js';
import type { Operator } from './operator.entity.js';

/** A session with the current state of its operator. */
export type LiveSession = OperatorSession &
  Pick<Operator, 'email' | 'name' | 'role' | 'language' | 'timezone' | 'access_version'> & {
    has_second_factor: boolean;
    has_password: boolean;
  };

/** The condition for a usable session. @param idleMs how long a session lasts without a request. */
const live = (idleMs: string): string => `
  s.expires_at > statement_timestamp()
  AND s.seen_at > statement_timestamp() - ${idleMs} * interval '1 millisecond' AND o.active`;

const COLUMNS = `
  s.*, o.email, o.name, o.role, o.language, o.timezone, o.totp_sealed IS NOT NULL AS has_second_factor,
  o.password_hash IS NOT NULL AS has_password, o.access_version`;

const FIND_SESSION = statement(
  'operator_sessions.find',
  { hash: 'bytea', idleMs: 'bigint' },
  ({ hash, idleMs }) => `
    SELECT ${COLUMNS} FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
    WHERE s.id_hash = ${hash} AND ${live(idleMs)}`,
);

/** Newest first. */
const LIST_SESSIONS = statement(
  'operator_sessions.list',
  { operatorId: 'int', idleMs: 'bigint' },
  ({ operatorId, idleMs }) => `
    SELECT ${COLUMNS} FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
    WHERE s.operator_id = ${operatorId} AND NOT s.awaits_code AND ${live(idleMs)} ORDER BY s.id DESC`,
);

const REMOVE_EXPIRED_SESSIONS = statement(
  'operator_sessions.remove_expired',
  {},
  () => `DELETE FROM operator_sessions WHERE expires_at < statement_timestamp()`,
);

/** Inserts no row if the operator's access has changed. Waits for a concurrent change to commit. */
const INSERT_SESSION = statement(
  'operator_sessions.insert',
  {
    ...({ hash: 'bytea', operatorId: 'int', accessVersion: 'int', awaitsCode: 'boolean' } as const),
    ...({ ip: 'text', userAgent: 'text', expiresAt: 'timestamptz', confirmedAt: 'timestamptz?' } as const),
  },
  ({ hash, operatorId, accessVersion, awaitsCode, ip, userAgent, expiresAt, confirmedAt }) => `
    INSERT INTO operator_sessions (id_hash, operator_id, awaits_code, ip, user_agent, expires_at, confirmed_at)
    SELECT ${hash}, id, ${awaitsCode}, ${ip}, ${userAgent}, ${expiresAt}, ${confirmedAt}
    FROM operators WHERE id = ${operatorId} AND access_version = ${accessVersion} AND active FOR SHARE`,
);

/**
 * `confirmed_at` is a time of the console's clock, not of the database's: the console later compares it with its own clock.
 * {@link INSERT_SESSION} does the same.
 */
const CONFIRM_SESSION = statement(
  'operator_sessions.confirm',
  { id: 'int', confirmedAt: 'timestamptz' },
  ({ id, confirmedAt }) => `
    UPDATE operator_sessions SET confirmed_at = ${confirmedAt} WHERE id = ${id} RETURNING confirmed_at`,
);

/** Writes at most every 30 seconds, because a page makes requests every few seconds. */
const TOUCH_SESSION = statement(
  'operator_sessions.touch',
  { hash: 'bytea' },
  ({ hash }) => `
    UPDATE operator_sessions SET seen_at = statement_timestamp()
    WHERE id_hash = ${hash} AND seen_at < statement_timestamp() - interval '30 seconds'`,
);

export interface NewSession {
  hash: Buffer;
  operatorId: number;
  /** The version of the operator's access at the sign-in. */
  accessVersion: number;
  awaitsCode: boolean;
  confirmedAt: Date | null;
  ip: string;
  userAgent: string;
  expiresAt: Date;
}

@Injectable()
export class OperatorSessionsRepository {
  constructor(private readonly database: Database) {}

  /** Finds a session with its operator's current state. @param idleMs how long a session lasts without a request. */
  async find(hash: Buffer, idleMs: number): Promise<LiveSession | undefined> {
    const [found] = await this.database.query<LiveSession>(...FIND_SESSION.with({ hash, idleMs: BigInt(idleMs) }));
    return found;
  }

  /**
   * Lists usable sessions, newest first. Leaves out sessions that still await a code.
   * @param idleMs as for {@link find}.
   */
  list(operatorId: number, idleMs: number): Promise<LiveSession[]> {
    return this.database.query<LiveSession>(...LIST_SESSIONS.with({ operatorId, idleMs: BigInt(idleMs) }));
  }

  /** Inserts nothing if the operator's access has changed since the sign-in. Also removes expired sessions. */
  insert(session: NewSession): Promise<void> {
    return this.database.transaction((tx) => {
      tx.write(...REMOVE_EXPIRED_SESSIONS.with({}));
      tx.write(...INSERT_SESSION.with(session));
    });
  }

  async touch(hash: Buffer): Promise<void> {
    await this.database.query(...TOUCH_SESSION.with({ hash }));
  }

  /** @returns the time of the confirmation; null if the session has ended. */
  async confirm(id: number): Promise<Date | null> {
    const confirm = CONFIRM_SESSION.with({ id, confirmedAt: new Date() });
    const [confirmed] = await this.database.query<{ confirmed_at: Date }>(...confirm);
    return confirmed?.confirmed_at ?? null;
  }

  async removeByHash(hash: Buffer): Promise<void> {
    await this.database.manager.delete(OperatorSession, { id_hash: hash });
  }

  /** Removes a session of this operator. @returns whether there was one. */
  async remove({ manager }: Transaction, id: number, operatorId: number): Promise<boolean> {
    const { affected } = await manager.delete(OperatorSession, { id, operator_id: operatorId });
    return affected === 1;
  }
}
