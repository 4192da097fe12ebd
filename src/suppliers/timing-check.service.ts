import { Inject, Injectable } from '@nestjs/common';
import { timingProblem } from './supplier-timing.js';
import { CONFIG, type Config } from '../core/config.js';
import { SuppliersRepository } from './suppliers.repository.js';

/** Whether the settings of suppliers and of this process fit each other. */
@Injectable()
export class TimingCheckService {
  constructor(
    private readonly suppliers: SuppliersRepository,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Each contradiction in words. @throws SERVICE_UNAVAILABLE */
  async problems(): Promise<string[]> {
    const suppliers = await this.suppliers.listTimeouts();
    return suppliers.flatMap(({ code, timeout_ms }) => {
      const problem = timingProblem(timeout_ms, this.config.SUPPLIER_QUIET_PERIOD_MS);
      return problem === null ? [] : [`supplier ${code}: ${problem}`];
    });
  }
}
