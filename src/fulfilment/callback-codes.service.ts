import { Injectable } from '@nestjs/common';
import { SecretBox } from '../core/secret-box.js';
import { callbackBodyPlace } from './callbacks/supplier-callback.entity.js';
import type { SupplierAdapter } from '../suppliers/supplier-adapter.js';
import { isDefinite, type SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { lacksCode } from '../orders/codes/delivered.js';
import { CallbackBodiesRepository } from './callback-bodies.repository.js';
import type { ClaimedUnit } from './units.repository.js';

/**
 * Finds the codes that a supplier tells only when it calls us. Its callbacks prove nothing, so that a code is taken from
 * one only after the supplier has told, asked by us, that it made the very purchase which the callback names.
 */
@Injectable()
export class CallbackCodesService {
  constructor(
    private readonly bodies: CallbackBodiesRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * A success with its code, where that came with a callback; any other outcome as it is. Callbacks that contradict each
   * other tell none.
   * @throws what keeps them from being read.
   */
  async complete(
    unit: ClaimedUnit,
    outcome: SupplierOutcome,
    { callbacks }: SupplierAdapter,
  ): Promise<SupplierOutcome> {
    const { supplier_reference, kind } = unit;
    if (!callbacks?.deliveriesIn || supplier_reference === null) return outcome;
    if (!isDefinite(outcome) || outcome.kind !== 'succeeded' || !lacksCode(kind, outcome)) return outcome;
    const sealed = await this.bodies.find({ ...unit, supplier_reference });
    const reported = sealed
      .map((body) => callbacks.deliveriesIn?.(this.secretBox.openBytes(body, callbackBodyPlace(unit))) ?? [])
      .filter((deliveries) => deliveries.some(({ code }) => code !== null));
    const [first, ...others] = reported;
    const isClear = others.every((each) => JSON.stringify(each) === JSON.stringify(first));
    return first && isClear ? { ...outcome, deliveries: first } : outcome;
  }
}
