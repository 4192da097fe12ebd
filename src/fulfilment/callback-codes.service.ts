import { Injectable } from '@nestjs/common';
import { SecretBox } from '../core/secret-box.js';
import { callbackBodyPlace } from './callbacks/supplier-callback.entity.js';
import type { SupplierAdapter } from '../suppliers/supplier-adapter.js';
import { isDefinite, type SupplierOutcome } from '../suppliers/supplier-outcome.js';
import { lacksCode } from '../orders/codes/delivered.js';
import { SupplierCallbacksRepository } from './callbacks/supplier-callbacks.repository.js';
import type { ClaimedUnit } from './units.repository.js';

type NamedAttempt = Pick<
  ClaimedUnit,
  'order_id' | 'item' | 'unit' | 'attempt' | 'supplier_id' | 'supplier_reference' | 'kind'
>;

/**
 * Finds codes that a supplier reports only in its callbacks. Such callbacks are not signed, so the service uses a code only once
 * an answer to an inquiry has confirmed the purchase that the callback names.
 */
@Injectable()
export class CallbackCodesService {
  constructor(
    private readonly callbacks: SupplierCallbacksRepository,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * Adds the code from a callback to a success that lacks its code. If two callbacks have different codes, it adds none.
   * Returns any other outcome unchanged.
   * @throws Error if the callbacks cannot be read.
   */
  async complete(
    unit: NamedAttempt,
    outcome: SupplierOutcome,
    { callbacks: reader }: SupplierAdapter,
  ): Promise<SupplierOutcome> {
    const { supplier_reference, kind } = unit;
    if (!reader?.deliveriesIn || supplier_reference === null) return outcome;
    if (!isDefinite(outcome) || outcome.kind !== 'succeeded' || !lacksCode(kind, outcome)) return outcome;
    const sealed = await this.callbacks.listBodies({ ...unit, supplier_reference });
    const reported = sealed
      .map((body) => reader.deliveriesIn?.(this.secretBox.openBytes(body, callbackBodyPlace(unit))) ?? [])
      .filter((deliveries) => deliveries.some(({ code }) => code !== null));
    const [first, ...others] = reported;
    const isClear = others.every((each) => JSON.stringify(each) === JSON.stringify(first));
    return first && isClear ? { ...outcome, deliveries: first } : outcome;
  }
}
