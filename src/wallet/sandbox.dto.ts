import { AmountUpTo } from '../core/validation/member.decorators.js';
import { MAX_SANDBOX_CREDIT } from './sandbox-wallet.service.js';

/** The body of POST /v1/sandbox/wallet/credit. */
export class SandboxCreditDto {
  @AmountUpTo(MAX_SANDBOX_CREDIT, { example: '1000.00', description: 'How much, THB' })
  amount!: string;
}
