import { Injectable } from '@nestjs/common';
import { invalidRequest } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { readMoment } from '../../core/moments.js';
import { StatsService, type FiguresOverTime, type NowFigures } from '../../monitoring/stats/stats.service.js';
import type { Steps } from '../../monitoring/stats/minute-stats.repository.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import type { MinutesQueryDto } from './stats.dto.js';

const AN_HOUR_MS = 3_600_000;
const MAX_MS = 92 * 24 * AN_HOUR_MS;
const MAX_STEPS = 200;
/** Steps that people think in. */
const STEP_SECONDS = [60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];

/** Figures, as the pages ask for them. */
@Injectable()
export class StatsViewsService {
  constructor(
    private readonly figures: StatsService,
    private readonly suppliers: SuppliersService,
  ) {}

  /** @throws SERVICE_UNAVAILABLE */
  now(): Promise<NowFigures> {
    return this.figures.now();
  }

  /** @throws BAD_REQUEST; NOT_FOUND for a supplier that there is not. */
  async minutes({ from, to, supplier }: MinutesQueryDto): Promise<FiguresOverTime> {
    const until = momentOf(to) ?? new Date();
    const since = momentOf(from) ?? new Date(until.getTime() - AN_HOUR_MS);
    const steps = stepsOf(since, until);
    if (supplier === undefined) return this.figures.overTime(steps);
    return this.figures.supplierOverTime((await this.suppliers.getByCode(supplier)).code, steps);
  }
}

const momentOf = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : present(readMoment(text), 'a moment that was checked can be read');

/** As many steps as can be told apart, each beginning where its length says. @throws BAD_REQUEST */
function stepsOf(since: Date, until: Date): Steps {
  const lengthMs = until.getTime() - since.getTime();
  if (lengthMs <= 0) refuse('to must be later than from');
  if (lengthMs > MAX_MS) refuse('from and to may be 92 days apart at most');
  const found = STEP_SECONDS.find((seconds) => lengthMs / 1000 / seconds <= MAX_STEPS - 1);
  const stepSeconds = found ?? refuse('from and to may be 92 days apart at most');
  const stepMs = stepSeconds * 1000;
  const first = Math.floor(since.getTime() / stepMs) * stepMs;
  const last = Math.ceil(until.getTime() / stepMs) * stepMs;
  return { since: new Date(first), until: new Date(last), stepSeconds };
}

function refuse(message: string): never {
  throw invalidRequest([{ field: 'to', code: 'INVALID_VALUE', message }]);
}
