import type { Config } from '../../core/config.js';
import { pick } from '../../core/members.js';
import { bahtOrNull, formatBaht } from '../../core/money.js';
import type { Operator } from '../../operators/operator.entity.js';
import type { LiveSession } from '../../operators/operator-sessions.repository.js';
import { permissionsOf } from '../../operators/roles.js';
import { Caller, timezoneOf } from './caller.js';
import { isOff, lacksSecondFactor } from './permission.js';
import type { MeDto, OperatorDto, OwnSessionDto, SessionDto, SessionState } from './session.dto.js';

type Session = Caller['session'];

export function toSessionDto(session: Session, config: Config): SessionDto {
  const state = stateOf(session, config);
  const { confirmedUntil } = new Caller(session, { ip: '', requestId: '' });
  const { idleMs, confirmAbove, approvalAbove } = config.console;
  return {
    state,
    operator: state === 'code_required' ? null : toOperatorDto({ ...session, id: session.operator_id }, config),
    permissions: state === 'signed_in' ? permissionsOf(session.role).filter((each) => !isOff(each, config)) : [],
    second_factor: session.has_second_factor,
    has_password: session.has_password,
    confirmed_until: state === 'code_required' ? null : confirmedUntil,
    expires_at: session.expires_at,
    idle_minutes: idleMs / 60_000,
    confirm_above: formatBaht(confirmAbove),
    approval_above: bahtOrNull(approvalAbove),
  };
}

function stateOf(session: Session, config: Config): SessionState {
  if (session.awaits_code) return 'code_required';
  return lacksSecondFactor(session, config) ? 'second_factor_required' : 'signed_in';
}

type Named = Pick<Operator, 'id' | 'email' | 'name' | 'role' | 'language' | 'timezone'>;

const toOperatorDto = (operator: Named, config: Config): OperatorDto => ({
  ...pick(operator, 'id', 'email', 'name', 'role', 'language'),
  timezone: timezoneOf(operator, config),
});

export const toMeDto = (operator: Operator, recoveryCodes: number, config: Config): MeDto => ({
  ...toOperatorDto(operator, config),
  second_factor: operator.totp_sealed !== null,
  recovery_codes: recoveryCodes,
  ...pick(operator, 'last_sign_in_at', 'created_at'),
});

export const toOwnSessionDto = (session: LiveSession, current: number): OwnSessionDto => ({
  ...pick(session, 'id', 'ip', 'created_at', 'seen_at', 'expires_at'),
  is_current: session.id === current,
  user_agent: session.user_agent || null,
});
