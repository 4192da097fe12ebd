import type { Config } from '../../core/config.js';
import { AppError, type DetailCode } from '../../core/errors.js';
import { needsSecondFactor, rolesWith, type Permission } from '../../operators/roles.js';
import type { Caller } from './caller.js';

/** @throws FORBIDDEN unless the operator has the permission, and the second factor that the role needs. */
export function assertMay(caller: Caller, permission: Permission, config: Pick<Config, 'console'>): void {
  if (lacksSecondFactor(caller, config)) {
    const message = 'Your role works with a second factor only: set one up first';
    throw refusal('FORBIDDEN', 'second_factor', 'SECOND_FACTOR_REQUIRED', message);
  }
  if (caller.may(permission)) return;
  const roles = rolesWith(permission).join(', ');
  const message = `This needs the permission ${permission}, which these roles have: ${roles}`;
  throw refusal('FORBIDDEN', permission, 'PERMISSION_REQUIRED', message);
}

/** Whether the operator must set up a second factor before anything else. */
export const lacksSecondFactor = (
  { session: { role, has_second_factor: hasSecondFactor } }: Caller,
  { console }: Pick<Config, 'console'>,
): boolean => !hasSecondFactor && needsSecondFactor(role, console.requireSecondFactor);

export const refusal = (
  error: 'UNAUTHORIZED' | 'FORBIDDEN',
  field: string,
  code: DetailCode,
  message: string,
): AppError => new AppError(error, message, { details: [{ field, code, message }] });
