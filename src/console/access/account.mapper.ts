import { pick } from '../../core/members.js';
import type { Operator } from '../../operators/operator.entity.js';
import type { Invited } from '../../operators/operators.service.js';
import type { AccountDto, InvitationDto } from './operator.dto.js';

export const toInvitationDto = ({ operator, ...invitation }: Invited): InvitationDto => ({
  operator: toAccountDto(operator),
  ...invitation,
});

export const toAccountDto = (operator: Operator): AccountDto => ({
  ...pick(operator, 'id', 'email', 'name', 'role', 'last_sign_in_at', 'created_at'),
  state: stateOf(operator),
  second_factor: operator.totp_sealed !== null,
  company_sign_in: operator.company_subject !== null,
  company_link_until: inFuture(operator.company_link_until),
  locked_until: laterOf(operator.locked_until, operator.known_device_locked_until),
  link_until: inFuture(operator.set_up_until),
});

function stateOf({ active, password_hash, company_subject }: Operator): AccountDto['state'] {
  if (!active) return 'disabled';
  return password_hash === null && company_subject === null ? 'invited' : 'active';
}

const inFuture = (moment: Date | null): Date | null => (moment && moment > new Date() ? moment : null);

/** Known and unknown browsers are locked separately. The account counts as locked while either lock lasts. */
function laterOf(one: Date | null, other: Date | null): Date | null {
  const [first, second] = [inFuture(one), inFuture(other)];
  return first && second ? (first > second ? first : second) : (first ?? second);
}
