import { Store, type SessionData } from 'express-session';
import type { Config } from '../../core/config.js';
import { sha256 } from '../../operators/one-time-secrets.js';
import type {
  LiveSession,
  NewSession,
  OperatorSessionsRepository,
} from '../../operators/operator-sessions.repository.js';
import { cookieOptions } from './cookies.js';

/** What a session begins with; its row is written when it is saved for the first time. */
export type Opening = Omit<NewSession, 'hash' | 'expiresAt'>;

declare module 'express-session' {
  interface SessionData {
    /** Of a session that was read. */
    live?: Omit<LiveSession, 'id_hash'>;
    /** Of one that is not written yet. */
    opening?: Opening | undefined;
    /** Of a request that a page sent by itself, while nobody did anything there. */
    isUnattended?: true;
  }
}

const SEEN_EVERY_MS = 30_000;

type Done<Result = void> = (error?: unknown, result?: Result) => void;

/** Keeps sessions in `operator_sessions`, without the cookie's value: who reads the table can't use them. */
export class SessionStore extends Store {
  constructor(
    private readonly sessions: OperatorSessionsRepository,
    private readonly config: Config,
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
    // An answer is not kept back for it, nor does it fail by it.
    this.sessions.touch(sha256(id)).then(done, done);
  }

  /** The session as it is now. */
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
