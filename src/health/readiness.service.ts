import { Injectable } from '@nestjs/common';
import { withDeadline } from '../core/durations.js';
import { Database } from '../database/database.js';
import { ReadinessRepository } from './readiness.repository.js';

const ANSWER_WITHIN_MS = 1_500;

/** Why a process is not ready. */
type Unreadiness = 'PostgreSQL does not answer' | 'PostgreSQL is read-only' | 'The schema is not up to date yet';

/**
 * Whether PostgreSQL answers and accepts writes now. Until the schema is migrated, the process is not ready either.
 * Simultaneous checks share one query.
 */
@Injectable()
export class ReadinessService {
  private checking: Promise<Unreadiness | null> | undefined;

  constructor(
    private readonly database: Database,
    private readonly repository: ReadinessRepository,
  ) {}

  /** @returns why the process is not ready, or null when it is. */
  whyNot(): Promise<Unreadiness | null> {
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    return this.checking;
  }

  private async check(): Promise<Unreadiness | null> {
    const reason = await withDeadline(this.ask(), ANSWER_WITHIN_MS).catch(
      (): Unreadiness => 'PostgreSQL does not answer',
    );
    // Only a new connection reaches a new primary, and without requests the pool opens none.
    if (reason === 'PostgreSQL is read-only') this.database.reconnect();
    return reason;
  }

  private async ask(): Promise<Unreadiness | null> {
    if (this.database.isOpen) return (await this.repository.isReadOnly()) ? 'PostgreSQL is read-only' : null;
    await this.database.ping();
    return 'The schema is not up to date yet';
  }
}
