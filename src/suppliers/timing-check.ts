import { Inject, Injectable } from '@nestjs/common';
import { timingProblem } from './supplier-timing.js';
import { CONFIG, type Config } from '../core/config.js';
import { Database, type Statement } from '../database/database.js';

const FIND_TIMEOUTS: Statement = {
  name: 'suppliers.find_timeouts',
  text: `SELECT code, timeout_ms FROM suppliers ORDER BY code`,
};

/** Whether the settings of suppliers and of this process fit each other. */
@Injectable()
export class TimingCheck {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Each contradiction in words. @throws SERVICE_UNAVAILABLE */
  async problems(): Promise<string[]> {
    const suppliers = await this.database.query<{ code: string; timeout_ms: number }>(FIND_TIMEOUTS);
    return suppliers.flatMap(({ code, timeout_ms }) => {
      const problem = timingProblem(timeout_ms, this.config.SUPPLIER_QUIET_PERIOD_MS);
      return problem === null ? [] : [`supplier ${code}: ${problem}`];
    });
  }
}
