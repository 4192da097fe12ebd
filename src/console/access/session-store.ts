import { Inject, Injectable } from '@nestjs/common';
import { Store, type SessionData } from 'express-session';
import { CONFIG, type Config } from '../../core/config.js';
import { sha256 } from '../../operators/one-time-secrets.js';
import {
  OperatorSessionsRepository,
  type LiveSession,
  type NewSession,
} from '../../operators/operator-sessions.repository.js';
import { cookieOptions } from './cookies.js';

/** A session that begins: the first save writes its row. */
export type Opening = Omit<NewSession, 'hash' | 'expiresAt'>;

declare module 'express-session' {
  interface SessionData {
    /** Set in a session that has a row. */
    live?: Omit<LiveSession, 'id_hash'>;
    /** Set in a session that has no row yet. */
    opening?: Opening | undefined;
    /** Set if a page sent the request by itself, while the operator was idle. */
    isUnattended?: true;
  }
}

const SEEN_EVERY_MS = 30_000;

type Done<Result = void> = (error?: unknown, result?: Result) => void;

/**
 * Stores sessions in `operator_sessions`, by the hashes of their identifiers. Only the cookies have the identifiers. So
 * a reader of the table can't use the sessions.
 */
@Injectable()
export class SessionStore extends Store {
  constructor(
    private readonly sessions: OperatorSessionsRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    super();
  }

  override get(id: string, done: Done<SessionData | null>): void {
    this.read(id).then((data) => done(null, data), done);
  }

  override set(id: string, { opening }: SessionData, done: Done = () => undefined): void {
    if (!opening) return done();
    const expiresAt = new Date(Date.now() + this.config.console.sessionMs);
    this.sessions.insert({ ...opening, hash: sha256(id), expiresAt }).then(() => done(), done);
  }

  override destroy(id: string, done: Done = () => undefined): void {
    this.sessions.removeByHash(sha256(id)).then(() => done(), done);
  }

  override touch(id: string, { live, isUnattended }: SessionData, done: () => void = () => undefined): void {
    if (isUnattended || !live || Date.now() - live.seen_at.getTime() < SEEN_EVERY_MS) return done();
    // A failed update must not fail the request.
    this.sessions.touch(sha256(id)).then(
      () => done(),
      () => done(),
    );
  }

  async live(id: string): Promise<Omit<LiveSession, 'id_hash'> | null> {
    const found = await this.sessions.find(sha256(id), this.config.console.idleMs);
    if (!found) return null;
    const { id_hash: _hash, ...live } = found;
    return live;
  }

  private async read(id: string): Promise<SessionData | null> {
    const live = await this.live(id);
    if (!live) return null;
    const originalMaxAge = this.config.console.sessionMs;
    return { cookie: { ...cookieOptions(this.config), expires: live.expires_at, originalMaxAge }, live };
  }
}
