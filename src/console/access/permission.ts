import type { Config } from '../../core/config.js';
import { refusal } from '../../core/errors.js';
import { formatBaht, type Satang } from '../../core/money.js';
import { needsSecondFactor, rolesWith, type Permission } from '../../operators/roles.js';
import type { Caller } from './caller.js';

type AccessConfig = Pick<Config, 'console' | 'DEPOSIT_CONSOLE_IMPORT'>;

/** @throws FORBIDDEN unless the operator has the second factor that the role needs. */
export function assertSecondFactor({ session }: Caller, config: Pick<Config, 'console'>): void {
  if (!lacksSecondFactor(session, config)) return;
  const message = 'Your role works with a second factor only: set one up first';
  throw refusal('FORBIDDEN', 'SECOND_FACTOR_REQUIRED', 'second_factor', message);
}

/** @throws FORBIDDEN unless the operator has the permission. */
export function assertMay(caller: Caller, permission: Permission, config: AccessConfig): void {
  if (isOff(permission, config)) {
    const message = 'Bank statements are imported by the command line only: DEPOSIT_CONSOLE_IMPORT is false';
    throw refusal('FORBIDDEN', 'PERMISSION_REQUIRED', permission, message);
  }
  if (caller.may(permission)) return;
  const roles = rolesWith(permission).join(', ');
  const message = `This needs the permission ${permission}, which these roles have: ${roles}`;
  throw refusal('FORBIDDEN', 'PERMISSION_REQUIRED', permission, message);
}

/** Whether no operator has the permission in this console, whatever the role. */
export const isOff = (permission: Permission, { DEPOSIT_CONSOLE_IMPORT: mayImport }: AccessConfig): boolean =>
  permission === 'statements.import' && !mayImport;

/** Whether the operator must set up a second factor before anything else. */
export const lacksSecondFactor = (
  { role, has_second_factor: hasSecondFactor }: Caller['session'],
  { console }: Pick<Config, 'console'>,
): boolean => !hasSecondFactor && needsSecondFactor(role, console.requireSecondFactor);

/**
 * Whether an amount needs a second person's approval. The limit is in THB, so each amount in another currency needs
 * one. Without a limit, no amount does.
 */
export const needsApproval = (
  amount: Satang,
  { console: { approvalAbove } }: Pick<Config, 'console'>,
  currency = 'THB',
): boolean => approvalAbove !== null && (currency !== 'THB' || amount > approvalAbove);

/** @throws FORBIDDEN with APPROVAL_REQUIRED for an amount that needs a second person's approval. */
export function assertNeedsNoApproval(amount: Satang, config: Pick<Config, 'console'>, currency = 'THB'): void {
  const { approvalAbove: limit } = config.console;
  if (limit === null || !needsApproval(amount, config, currency)) return;
  const what = currency === 'THB' ? `A movement of more than ${formatBaht(limit)} THB` : `A movement of ${currency}`;
  const message = `${what} needs a second person's approval: request one`;
  throw refusal('FORBIDDEN', 'APPROVAL_REQUIRED', 'amount', message);
}
