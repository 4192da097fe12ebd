import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { OperatorSession } from './operator-session.entity.js';
import {
  CONFIRM_SESSION,
  FIND_SESSION,
  INSERT_SESSION,
  LIST_SESSIONS,
  REMOVE_EXPIRED_SESSIONS,
  TOUCH_SESSION,
  type LiveSession,
} from './operator-sessions.sql.js';

export type { LiveSession } from './operator-sessions.sql.js';

export interface NewSession {
  hash: Buffer;
  operatorId: number;
  /** Of the operator's access, when they showed who they are. */
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

  /** Together with its operator, as they are now. @param idleMs after so long without a request it is none. */
  async find(hash: Buffer, idleMs: number): Promise<LiveSession | undefined> {
    const [found] = await this.database.query<LiveSession>(...FIND_SESSION.with({ hash, idleMs: BigInt(idleMs) }));
    return found;
  }

  /** Newest first. */
  list(operatorId: number, idleMs: number): Promise<LiveSession[]> {
    return this.database.query<LiveSession>(...LIST_SESSIONS.with({ operatorId, idleMs: BigInt(idleMs) }));
  }

  /** Writes none where the operator's access has changed since. Removes what has expired besides. */
  insert(session: NewSession): Promise<void> {
    return this.database.transaction((tx) => {
      tx.write(...REMOVE_EXPIRED_SESSIONS.with({}));
      tx.write(...INSERT_SESSION.with(session));
      return Promise.resolve();
    });
  }

  async touch(hash: Buffer): Promise<void> {
    await this.database.query(...TOUCH_SESSION.with({ hash }));
  }

  /** @returns when it was confirmed. */
  async confirm(id: number): Promise<Date | null> {
    const [confirmed] = await this.database.query<{ confirmed_at: Date }>(...CONFIRM_SESSION.with({ id }));
    return confirmed?.confirmed_at ?? null;
  }

  async removeByHash(hash: Buffer): Promise<void> {
    await this.database.manager.delete(OperatorSession, { id_hash: hash });
  }

  /** @returns whether it was there. @param operatorId whose it must be. */
  async remove({ manager }: Transaction, id: number, operatorId: number): Promise<boolean> {
    const { affected } = await manager.delete(OperatorSession, { id, operator_id: operatorId });
    return affected === 1;
  }
}
