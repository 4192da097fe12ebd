import { invalidRequest } from '../../core/errors.js';
import { failure } from '../../core/failures.js';
import type { DefiniteOutcome } from '../../suppliers/supplier-outcome.js';
import type { ResolveDto } from './decision.dto.js';

/** What an operator says became of a unit. @throws BAD_REQUEST for a verdict that contradicts itself. */
export function toOutcome({
  succeeded,
  supplier_reference: reference,
  failure_code: code,
}: Omit<ResolveDto, 'reason' | 'attempt'>): DefiniteOutcome {
  const refuse = (field: string, words: string): never => {
    throw invalidRequest([{ field, code: 'INVALID_VALUE', message: `${field} ${words}` }]);
  };
  if (succeeded) {
    if (code !== undefined) refuse('failure_code', 'goes with a unit that failed');
    return { kind: 'succeeded', supplierReference: reference ?? null };
  }
  if (reference !== undefined) refuse('supplier_reference', 'goes with a unit that succeeded');
  return { kind: 'failed', ...failure(code ?? refuse('failure_code', 'is needed for a unit that failed')) };
}
